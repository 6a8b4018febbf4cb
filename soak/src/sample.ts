/** Measurements of a server's process when it is idle and its garbage is collected; memory in bytes. */
export interface Sample {
  readonly heapUsed: number
  readonly external: number
  readonly arrayBuffers: number
  readonly rss: number
  /** Active resources by kind, such as `TCPSocketWrap` and `Timeout`, and `descriptors`. */
  readonly counts: Readonly<Record<string, number>>
}

/** A sample and the number of runs before it. */
export interface TakenSample extends Sample {
  readonly runs: number
}
