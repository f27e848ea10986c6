/** RejectKind is why a packet was refused. */
export type RejectKind =
  | "past-end" | "out-of-range" | "unknown-case" | "reserved-nonzero" | "const-mismatch" | "check-mismatch" | "crc-mismatch"
  | "nonzero-padding" | "bad-string" | "not-finite" | "non-unit" | "non-canonical" | "not-increasing" | "trailing-bytes"
  | "datagram-size" | "rule-broken" | "over-budget";

/** Rejected is the first thing that is wrong with a packet. A bit or a width that tells a secret is null. */
export interface Rejected {
  ok: false;
  kind: RejectKind;
  path: string; // of the field, "" for the packet
  bit: number | null; // of the datagram, from 0
  width: number | null; // bits
  want: string; // what a correct packet has there
  got: string; // what this one has
}

/** NoteKind is what is odd about a packet that is accepted all the same. */
export type NoteKind = "trailing-bits" | "ignored-bits" | "non-canonical" | "unlisted-value" | "wrong-direction";

export interface Note {
  kind: NoteKind;
  path: string;
  bit: number | null;
}

/** Accepted is a packet with its values. */
export interface Accepted<T> {
  ok: true;
  value: T;
  bits: number; // that were read
  notes: Note[];
}

export type Decoded<T> = Accepted<T> | Rejected;

/** Params are what is known of a datagram beside its bytes. */
export interface Params {
  from?: "client" | "server";
}
