import type { EventFormat } from '../port/index.ts'
import { RawWriter, type RawWriterOptions } from './raw-writer.ts'

/** Options of the Messages API format. */
export type RawFormatOptions = Partial<RawWriterOptions>

/**
 * Creates a stream of the Messages API, which the official SDK accumulates. Each part of a run, up to its end or a pause, is one message of
 * the root agent. Tools that the server executed are `mcp_tool_use` and `mcp_tool_result`; calls that the reader must answer are
 * `tool_use`.
 */
export function rawFormat({
  serverName = 'millrace',
  maxHeldLength = 64 * 1024 * 1024,
  onOmit = () => {},
}: RawFormatOptions = {}): EventFormat {
  return {
    name: 'raw',
    reads: 'events',
    headers: {},
    done: undefined,
    open: (root) => new RawWriter(root, { serverName, maxHeldLength, onOmit }),
  }
}
