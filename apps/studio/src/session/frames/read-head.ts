/** Type and agent of a line. */
export interface FrameHead {
  readonly type: string
  readonly agent: string
}

/** Type and agent are the first fields of every line. [ENV-2] */
const head = /^\{"type":"([^"\\]*)","agent":"([^"\\]*)"/

/** Reads the type and the agent of a line; the type of an invalid line is `malformed`. */
export function readHead(data: string): FrameHead {
  const match = head.exec(data)
  if (match) return { type: match[1] ?? '', agent: match[2] ?? '' }
  if (data === '[DONE]') return { type: '[DONE]', agent: '' }
  try {
    const { type, agent } = JSON.parse(data) as { type?: unknown; agent?: unknown }
    return { type: String(type), agent: String(agent ?? '') }
  } catch {
    return { type: 'malformed', agent: '' }
  }
}
