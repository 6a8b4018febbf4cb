import type { ContentBlock } from '../events/index.ts'
import { isJsonObject, type JsonValue } from '../json/index.ts'
import { isServerToolCall, isServerToolResult } from './server-tools.ts'

/** What is kept beside what may always be sent. */
export interface KeepOptions {
  /** Whether calls that the provider runs may wait for their result: it gives it in a later message. */
  readonly keepsPending: boolean
}

const thoughts: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

/**
 * The blocks of a cut answer that may stand before a person's words: no text without a visible character, no
 * thought without its signature or without what it led to, no call of the provider's that nothing answers, nor
 * what was called or answered within it.
 */
export function keepSendable(
  content: readonly ContentBlock[],
  { keepsPending }: KeepOptions,
): ContentBlock[] {
  const answered = new Set(content.filter(isServerToolResult).map((block) => block['tool_use_id']))
  const dropped = new Set<JsonValue | undefined>()
  const kept = content.filter((block) => {
    const { id, tool_use_id } = block
    const isPending = isServerToolCall(block) && !answered.has(id ?? null)
    const isOrphan = dropped.has(callerOf(block)) || dropped.has(tool_use_id)
    if (!isOrphan && !(isPending && !keepsPending)) return isSendable(block)
    if (id !== undefined) dropped.add(id)
    return false
  })
  while (thoughts.has(kept.at(-1)?.type ?? '')) kept.pop()
  return kept
}

/** The id of the call from whose code a call was made. */
function callerOf({ caller }: ContentBlock): JsonValue | undefined {
  return isJsonObject(caller) ? caller['tool_id'] : undefined
}

function isSendable({ type, text, signature }: ContentBlock): boolean {
  if (type === 'text') return typeof text === 'string' && /\S/.test(text)
  return type !== 'thinking' || (typeof signature === 'string' && signature !== '')
}
