/** A server that runs as a child process and communicates over stdin and stdout. */
export interface McpProcess {
  /** Prefix of the tool names. */
  readonly name: string
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the default variables, such as `PATH` and `HOME`. No other variables are inherited. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Receives the stderr of the process. */
  readonly onStderr?: (text: string) => void
}

/** A server with a URL: streamable HTTP, or SSE for older servers. */
export interface McpHttpServer {
  readonly name: string
  readonly url: string | URL
  /** Headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Any transport of the official SDK. */
export interface McpTransport {
  start(): Promise<void>
  send(message: never, options?: never): Promise<void>
  close(): Promise<void>
}

/** A server behind a custom transport. */
export interface McpWire {
  readonly name: string
  /** A function creates a new transport after each connection failure. */
  readonly transport: McpTransport | (() => McpTransport | Promise<McpTransport>)
}

/** Location of a Model Context Protocol server. */
export type McpServer = McpProcess | McpHttpServer | McpWire
