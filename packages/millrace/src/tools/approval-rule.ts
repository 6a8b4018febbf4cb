import type { Checked } from './input-contract.ts'

/** The circumstances of a call, for its approval rule. */
export interface ApprovalContext<Context = unknown> {
  /** The context of the run, as the option `context` of the server returned it; undefined without one. */
  readonly context: Context
}

/** Whether a tool call needs approval. A function decides by the validated arguments and the context of the run. */
export type ApprovalRule<Input, Context = unknown> =
  | boolean
  | ((input: Input, call: ApprovalContext<Context>) => boolean | Promise<boolean>)

/** Creates the approval check of a tool. Invalid arguments need no approval; a rule that throws requires it. */
export function createApprovalCheck<Input>(
  rule: ApprovalRule<Input>,
  check: (value: unknown) => Promise<Checked<Input>>,
): (value: unknown, call?: ApprovalContext) => Promise<boolean> {
  return async (value, call = { context: undefined }) => {
    if (rule === false) return false
    try {
      const checked = await check(value)
      if ('problem' in checked) return false
      return rule === true || (await rule(checked.value, call))
    } catch {
      return true
    }
  }
}
