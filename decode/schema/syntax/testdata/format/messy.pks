

//Everything that the formatter decides.

protocol   messy   //  the name
order lsb // bits
max datagram 0x400   // bytes


//----
const A=1//one
const LongName   =   0x0_F  // two
const Text = "a  // no comment"
param Most=3 in 1 .. 9

enum Kind:uint8{A=1,Bb=2,
// the last
Ccc   =   A+2,}
open flags   Keys : bits( 4 ) { Up=1 , Down=0b10 , } // on one line

struct Empty{}
struct Hollow{

}
struct Sized( n in 0..8,big bool )order msb{ // about Sized

  items[n]uint8
  if big{more uint16}else{more uint8}
}

packet{ a uint8,b uint16 le   @unit("µs")   // behind b

// about the columns
id uint8 in 0..9@unit( "px" )@seq
position vec3( float(-10..10,0.5) ) @unit("m")// where

x uint8 in{1,2 ,4..8}


y int( -5 .. A*-2 + ( LongName>>1 ) ) // y
align( 32 )any
flag bool // no columns across an align
counter [A+1][ 2 ]optional uint16

if !flag&&(x in {1,2}||-x<3) { // small
  z bool}
// why not
else if x==2 { w bool
} // neither
else{
  // nothing
}
body switch x{1,2: {q   uint8 // q
 r bool}
  4: { n uint8 }@from(client)
  5..6,
  7:Sized( 3,!flag )@from(server)@every( 50ms )
  8: empty @from(client)   // comment
  default:bytes(rest,max 255)} @budget( 96 bits )
require x>1&&   // first
   y<2 &&// second
 flag
within( x*2 bits ){ s subset(bitmap)[ 4 ]bool
 tt subset(relative)   [64]bool
 uu subset( index   any )[4]bool
}
mode uint8 in {
1, // idle
   20, // busy
     300 - 200
} @seq
// the end
}
expect timeout 2000ms
// the very end