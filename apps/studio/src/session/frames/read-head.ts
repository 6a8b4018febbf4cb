/** What stands at the beginning of a line. */
export interface FrameHead {
  readonly type: string
  readonly agent: string
}

/** Type and agent stand first in every line, so there is no need to read the rest. [ENV-2] */
const head = /^\{"type":"([^"\\]*)","agent":"([^"\\]*)"/

/** The type and the agent of a line; `malformed` is the type of one that is none. */
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
