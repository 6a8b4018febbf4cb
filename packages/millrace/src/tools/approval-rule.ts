import type { Checked } from './input-contract.ts'

/** Whether a person must agree before a tool runs; a function decides on the checked arguments. */
export type ApprovalRule<Input> = boolean | ((input: Input) => boolean | Promise<boolean>)

/** Builds what decides on one call: arguments that are wrong need no one's word, a rule that fails asks for it. */
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
