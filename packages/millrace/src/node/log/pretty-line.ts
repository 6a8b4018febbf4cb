import { toPlainLine } from '../../text/index.ts'

type Fields = Readonly<Record<string, unknown>>

/** The parts of a line for people, in order; other fields appear only in the JSON. */
const facts: readonly ((fields: Fields) => string | undefined)[] = [
  ({ session }) => textOf(session),
  ({ agent_type: agent }) => textOf(agent),
  ({ stop_reason: reason }) => textOf(reason),
  ({ steps }) =>
    typeof steps === 'number' ? `${steps} ${steps === 1 ? 'step' : 'steps'}` : undefined,
  ({ input_tokens: input, output_tokens: output }) =>
    typeof input === 'number' && typeof output === 'number'
      ? `${input} → ${output} tokens`
      : undefined,
  ({ ms }) => (typeof ms === 'number' ? toDuration(ms) : undefined),
  ({ aborted }) => (aborted === true ? 'client disconnected' : undefined),
  ({ prompt }) => toQuote(prompt),
  ({ answer }) => toQuote(answer),
  ({ error }) => toErrorText(error),
]

/** Converts a JSON line of the log to a line for people. */
export function toPrettyLine(json: string): string {
  const fields = JSON.parse(json) as Fields
  const level = textOf(fields['level']) ?? 'info'
  const time = (textOf(fields['time']) ?? '').slice(11, 19)
  const mark = level === 'info' || level === 'debug' ? '' : ` ${level.toUpperCase()}`
  const parts = facts.map((fact) => fact(fields)).filter((fact) => fact !== undefined)
  return [`${time}${mark} ${textOf(fields['msg']) ?? ''}`, ...parts].join(' · ')
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? toPlainLine(value) : undefined
}

function toQuote(value: unknown): string | undefined {
  return typeof value === 'string' ? `“${toPlainLine(value, 80)}”` : undefined
}

function toErrorText(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { type, code, message, cause, frames } = error as Fields
  const head = [type, code].filter((one) => typeof one === 'string').join(' ')
  const detail = textOf(message)
  const [frame] = Array.isArray(frames) ? (frames as unknown[]) : []
  const where = textOf(frame)
  const because = toErrorText(cause)
  return [
    detail === undefined ? toPlainLine(head) : `${toPlainLine(head)}: ${detail}`,
    ...(because === undefined ? (where === undefined ? [] : [where]) : [`caused by ${because}`]),
  ].join(', ')
}

function toDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
