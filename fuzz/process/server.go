package process

// Server is a program that runs beside what attacks it: it answers elsewhere than on its stdout, and may end at any
// time.
type Server struct {
	command *command
	child   *child
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
	s.child = c
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
	s.child.close()
	report, _, _ = s.child.obituary()
	if s.child.exhausted.Load() {
		report = "it held more memory than it may\n" + report
	}
	return report, true
}

// Close kills the program with all that it started.
func (s *Server) Close() error {
	if s.child != nil {
		s.child.close()
		killMarked(s.command.mark)
	}
	return nil
}
