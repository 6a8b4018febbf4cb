import type { AwaitedCall, OfAgent } from '../events/index.ts'

/** Writes calls that wait, with the arguments in the model's own bytes. */
export function toAwaitedJson(calls: readonly (AwaitedCall & Partial<OfAgent>)[]): string {
  return `[${calls.map(toCallJson).join(',')}]`
}

function toCallJson({ id, name, inputText, agent }: AwaitedCall & Partial<OfAgent>): string {
  const whose = agent === undefined ? '' : `,"agent":${JSON.stringify(agent)}`
  return `{"tool_use_id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${toInputJson(inputText)}${whose}}`
}

/** Arguments that are no JSON must not make the whole message unreadable. */
function toInputJson(inputText: string): string {
  if (inputText.trim() === '') return '{}'
  try {
    JSON.parse(inputText)
    return inputText
  } catch {
    return JSON.stringify(inputText)
  }
}
