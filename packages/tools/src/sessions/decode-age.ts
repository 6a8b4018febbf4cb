import { misuse } from '../cli/command.ts'

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Decodes an age such as `30d` or `12h`, in milliseconds. */
export function decodeAge(option: string, text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return Number(count) * (unitMs[unit] ?? 0)
  throw misuse(`${option} must be an age such as 30d, 12h or 90m, not ${JSON.stringify(text)}.`)
}
