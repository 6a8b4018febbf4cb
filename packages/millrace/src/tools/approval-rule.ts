import type { Checked } from './input-contract.ts'

/** Whether a tool call needs approval. A function decides by the validated arguments. */
export type ApprovalRule<Input> = boolean | ((input: Input) => boolean | Promise<boolean>)

/** Creates the approval check of a tool. Invalid arguments need no approval; a rule that throws requires it. */
export function createApprovalCheck<Input>(
  rule: ApprovalRule<Input>,
  check: (value: unknown) => Promise<Checked<Input>>,
): (value: unknown) => Promise<boolean> {
  return async (value) => {
    if (rule === false) return false
    try {
      const checked = await check(value)
      if ('problem' in checked) return false
      return rule === true || (await rule(checked.value))
    } catch {
      return true
    }
  }
}
