import { HIDDEN_TYPE } from '../../events/index.ts'
import { frameLines, type IdentifiedLine } from '../../sse/index.ts'

/** A line for one reader, and the number of log frames that it stands for; its id is that of the last one. [LOG-5] [LOG-7] */
export interface SpannedLine extends IdentifiedLine {
  readonly span: number
}

const encoder = new TextEncoder()

/** The field inserted before the closing brace of a line. */
function spanField(span: number): string {
  return `,"span":${span}}`
}

/** Bytes that the span field adds to a line. */
export function spanBytes(span: number): number {
  return span === 1 ? 0 : spanField(span).length - 1
}

/** Creates a placeholder for hidden frames that no visible frame can stand for. [LOG-8] */
export function toPlaceholder(root: string, id: number, span: number): SpannedLine {
  const placeholder = { type: HIDDEN_TYPE, agent: root, final: true, delta: '' }
  return { id, span, line: encoder.encode(JSON.stringify(placeholder)) }
}

interface FramingOptions {
  readonly session: string
  /** The id of the root agent; the session's if absent. */
  readonly root?: string
  readonly maxLineBytes: number
  readonly log?: string
  /** Whether frame ids name the log. */
  readonly hasLogInIds?: boolean
}

/** Encodes lines as one chunk. No line exceeds the limit. */
export function frameSpans(
  messages: readonly SpannedLine[],
  { session, root = session, maxLineBytes, log, hasLogInIds }: FramingOptions,
): Uint8Array {
  const lines = messages.flatMap((message): readonly IdentifiedLine[] => {
    const { id, line, span } = message
    if (span === 1) return [message]
    if (line.length + spanBytes(span) <= maxLineBytes) return [withSpan(message)]
    return [withSpan(toPlaceholder(root, id - 1, span - 1)), { id, line }]
  })
  return frameLines(lines, hasLogInIds === true && log !== undefined ? `@${log}` : '')
}

function withSpan({ id, line, span }: SpannedLine): IdentifiedLine {
  if (span === 1) return { id, line }
  const field = encoder.encode(spanField(span))
  const longer = new Uint8Array(line.length - 1 + field.length)
  longer.set(line.subarray(0, -1))
  longer.set(field, line.length - 1)
  return { id, line: longer }
}
