import type { AwaitedCall } from '../events/index.ts'

/** Writes the calls that wait for the browser, with the arguments in the model's own bytes. */
export function toAwaitedJson(calls: readonly AwaitedCall[]): string {
  return `[${calls.map(toCallJson).join(',')}]`
}

function toCallJson({ id, name, inputText }: AwaitedCall): string {
  return `{"tool_use_id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${toInputJson(inputText)}}`
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
