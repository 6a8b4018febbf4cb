/** A server that is started as a process of its own and spoken to through its standard input and output. */
export interface McpProcess {
  /** What its tools' names begin with. */
  readonly name: string
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the few variables that every process is given, such as `PATH` and `HOME`; no other is passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Hears what the process writes to its standard error. */
  readonly onStderr?: (text: string) => void
}

/** A server behind an address: streamable HTTP, or the older SSE where it knows no other. */
export interface McpHttpServer {
  readonly name: string
  readonly url: string | URL
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Any transport of the official SDK. */
export interface McpTransport {
  start(): Promise<void>
  send(message: never, options?: never): Promise<void>
  close(): Promise<void>
}

/** A server behind a transport of one's own. */
export interface McpWire {
  readonly name: string
  /** Given as a function, it is made anew after the server was lost. */
  readonly transport: McpTransport | (() => McpTransport | Promise<McpTransport>)
}

/** Where a server of the Model Context Protocol is. */
export type McpServer = McpProcess | McpHttpServer | McpWire
