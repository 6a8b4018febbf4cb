import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { killGroup, signalGroup, watchGroup } from '../../process-groups/index.ts'

const LINE_FEED = 10

/** The process of an MCP server, and the limits of its output. */
export interface ProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  readonly maxMessageBytes: number
  readonly onStderr: (bytes: Uint8Array) => void
  /** Called when a message is too long. */
  readonly onOverflow: () => void
}

/** Delay between the end of stdin, SIGTERM and SIGKILL. */
const GRACE_MS = 2000

/**
 * A transport over stdin and stdout with one message a line. The process leads its own process group, so that all its
 * descendants are killed.
 */
export class ProcessTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #options: ProcessOptions
  #child: ChildProcess | undefined
  #closing: Promise<void> | undefined

  constructor(options: ProcessOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, onStderr } = this.#options
    const child = spawn(command, [...args], {
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(cwd !== undefined && { cwd }),
    })
    this.#child = child
    const { pid } = child
    if (pid !== undefined) {
      watchGroup(pid)
      child.on('exit', () => killGroup(pid))
    }
    child.on('close', () => this.onclose?.())
    child.stdin.on('error', (error) => this.onerror?.(error))
    child.stderr.on('data', onStderr)
    child.stdout.on('data', this.#createReader())
    await once(child, 'spawn')
    child.on('error', (error) => this.onerror?.(error))
  }

  send = async (message: JSONRPCMessage): Promise<void> => {
    const stdin = this.#child?.stdin
    if (!stdin?.writable) throw new Error('The process accepts no more input.')
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await once(stdin, 'drain')
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined || hasEnded(child)) return
    const { pid } = child
    // Stops reading, because a server that floods stdout must not be read during the grace period.
    child.stdout?.destroy()
    const over = new AbortController()
    const exit = once(child, 'exit').then(() => over.abort())
    const grace = () => sleep(GRACE_MS, undefined, { signal: over.signal }).catch(() => {})
    child.stdin?.end()
    await grace()
    if (!hasEnded(child)) signalGroup(pid, 'SIGTERM')
    await grace()
    killGroup(pid)
    await exit
  }

  #createReader(): (bytes: Uint8Array) => void {
    const { maxMessageBytes, onOverflow } = this.#options
    const splitter = createLineSplitter({ maxBytes: maxMessageBytes, onOverflow })
    return (bytes) => {
      for (const line of splitter.feed(bytes)) this.#take(line)
    }
  }

  #take(line: string): void {
    try {
      const message: unknown = JSON.parse(line)
      if (typeof message === 'object' && message !== null) {
        this.onmessage?.(message as JSONRPCMessage)
        return
      }
    } catch {
      // Reported below, together with lines that hold another value.
    }
    this.onerror?.(new Error('The server sent a line that is not a message.'))
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Creates a splitter that buffers at most `maxBytes` of an unfinished line. Reports a longer line once. */
function createLineSplitter({
  maxBytes,
  onOverflow,
}: {
  readonly maxBytes: number
  readonly onOverflow: () => void
}) {
  let parts: Uint8Array[] = []
  let length = 0
  let isOver = false
  const finish = (): string => {
    const line = new Uint8Array(length)
    let offset = 0
    for (const part of parts) {
      line.set(part, offset)
      offset += part.length
    }
    parts = []
    length = 0
    return new TextDecoder().decode(line).trim()
  }
  const keep = (part: Uint8Array): boolean => {
    length += part.length
    if (length <= maxBytes) return parts.push(part) > 0
    isOver = true
    parts = []
    onOverflow()
    return false
  }
  return {
    /** Returns the completed lines, without empty ones. */
    feed(bytes: Uint8Array): readonly string[] {
      const lines: string[] = []
      let start = 0
      while (!isOver) {
        const end = bytes.indexOf(LINE_FEED, start)
        // Copied: a view would keep the whole chunk in memory.
        if (!keep(end < 0 ? bytes.slice(start) : bytes.subarray(start, end)) || end < 0) break
        const line = finish()
        if (line !== '') lines.push(line)
        start = end + 1
      }
      return lines
    },
  }
}
