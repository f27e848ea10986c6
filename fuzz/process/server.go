package process

// Server is a program that runs beside what attacks it: it answers elsewhere than on its stdout, and may end at any
// time.
type Server struct {
	command *command
	child   *child
	told    string // how the child ended; "" until somebody asked
}

// NewServer finds the program; Restart runs it. Of the options it takes Args and Memory.
func NewServer(o Options) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	c, err := newCommand("server", &o)
	if err != nil {
		return nil, err
	}
	return &Server{command: c}, nil
}

// Restart kills the program, if it runs, and runs it anew.
func (s *Server) Restart() error {
	if s.child != nil {
		s.child.close()
		s.child = nil
	}
	c, err := s.command.start(false, false)
	if err != nil {
		return err
	}
	s.child, s.told = c, ""
	return nil
}

// Ended reports whether the program has ended, and how: the first line says it, the others are what it printed last.
func (s *Server) Ended() (report string, ended bool) {
	if s.child == nil {
		return "", false
	}
	select {
	case <-s.child.ended:
	default:
		return "", false
	}
	if s.told == "" { // who waits asks again and again, and to strike secrets takes a while
		s.child.close()
		s.told, _, _ = s.child.obituary()
		if s.child.exhausted.Load() {
			s.told = "it held more memory than it may\n" + s.told
		}
	}
	return s.told, true
}

// Close kills the program with all that it started.
func (s *Server) Close() error {
	if s.child != nil {
		s.child.close()
		killMarked(s.command.mark)
	}
	return nil
}
