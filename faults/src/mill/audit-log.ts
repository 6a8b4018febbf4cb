import { decodeEnvelope } from 'millrace'
import { findViolations } from './find-violations.ts'

/** Returns the defects in the log of a completed run: violated rules, steps or tools that ran twice. */
export function auditLog(lines: readonly string[]): readonly string[] {
  return [...findViolations(lines), ...findRepeatedSteps(lines), ...findRepeatedResults(lines)]
}

/** A finished step is not repeated, and none is skipped. */
function findRepeatedSteps(lines: readonly string[]): readonly string[] {
  const steps = messagesOf(lines, 'meta_step').map(({ delta }) => stepIn(delta))
  return steps.flatMap((step, index) =>
    step === index + 1 ? [] : [`step ${step} ended as number ${index + 1}`],
  )
}

function stepIn(delta: string): number {
  const { step } = JSON.parse(delta) as { readonly step: number }
  return step
}

/** A call has one result, and is neither started nor answered after it. */
function findRepeatedResults(lines: readonly string[]): readonly string[] {
  const done = new Set<unknown>()
  const repeated: string[] = []
  for (const { type, id, final } of messagesOf(lines, 'tool_result', 'tool_status')) {
    if (done.has(id)) repeated.push(`call ${id} continued after its result`)
    if (type === 'tool_result' && final) done.add(id)
  }
  return repeated
}

function messagesOf(lines: readonly string[], ...types: readonly string[]) {
  return lines.map((line) => decodeEnvelope(line)).filter(({ type }) => types.includes(type))
}
