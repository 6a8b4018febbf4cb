import type { ContentBlock, Message } from '../../../src/events/index.ts'

/** Returns the errors of a model API for a conversation, with its own or similar texts; empty if it is valid. */
export function chainFaults(messages: readonly Message[]): string[] {
  const faults = messages.flatMap(({ role, content }, index) => {
    const found: string[] = []
    const before = messages[index - 1]
    if (role !== (index % 2 === 0 ? 'user' : 'assistant'))
      found.push(`${index}: roles must alternate`)
    if (content.length === 0) found.push(`${index}: content is empty`)
    if (content.some(isBlank)) found.push(`${index}: text is blank`)
    const asked = before?.role === 'assistant' ? idsOf(before.content, 'tool_use', 'id') : []
    const answered = idsOf(content, 'tool_result', 'tool_use_id')
    if (role === 'user' && asked.join() !== answered.join()) {
      found.push(`${index}: calls ${asked.join()} are answered by ${answered.join()}`)
    }
    if (role === 'user' && content.findIndex(isResult) > 0)
      found.push(`${index}: results come late`)
    if (role === 'user' && asked.length === 0)
      found.push(...leftUnsettled(index, before?.content ?? []))
    return found
  })
  const last = messages.at(-1)
  if (last !== undefined && idsOf(last.content, 'tool_use', 'id').length > 0)
    faults.push('calls left open')
  return faults
}

/** An answer before a user message must not end inside an unfinished part. */
function leftUnsettled(index: number, content: readonly ContentBlock[]): string[] {
  const answered = content.map((block) => block['tool_use_id'])
  const calls = ['server_tool_use', 'mcp_tool_use'].flatMap((type) => idsOf(content, type, 'id'))
  const open = calls.filter((id) => !answered.includes(id))
  const found = open.map((id) => `${index}: call ${id} of the provider has no result`)
  const unsigned = content.filter(({ type, signature }) => type === 'thinking' && !signature)
  found.push(...unsigned.map(() => `${index}: a thought has no signature`))
  return content.at(-1)?.type === 'thinking' ? [...found, `${index}: a thought comes last`] : found
}

function idsOf(content: readonly ContentBlock[], type: string, field: string): string[] {
  return content.filter((block) => block.type === type).map((block) => String(block[field]))
}

function isBlank({ type, text }: ContentBlock): boolean {
  return type === 'text' && String(text).trim() === ''
}

function isResult({ type }: ContentBlock): boolean {
  return type === 'tool_result'
}
