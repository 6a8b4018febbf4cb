import type { catalog, EnvelopeType } from '../../envelope/index.ts'

/** A type of message that a view may hide; without the others a reader would misread the rest of a stream. [LOG-9] */
export type HidableType = {
  [Type in EnvelopeType]: (typeof catalog)[Type] extends { readonly isNeeded: true } ? never : Type
}[EnvelopeType]

/** What one reader may not see of a session; all else it sees as everybody does, under the same ids. [LOG-7] */
export interface View {
  /** Returns true for the id of a sub-agent that does not exist for the reader. The root agent always exists, also where this returns true for it. */
  readonly hidesAgent?: (agent: string) => boolean
  /** Messages that are left out. */
  readonly hiddenTypes?: readonly HidableType[]
  /**
   * Fields that are left out or emptied, by type: `delta`, an extra field, or a member of the JSON in `delta`, as the
   * tables of PROTOCOL.md name them.
   */
  readonly hiddenFields?: { readonly [Type in EnvelopeType]?: readonly string[] }
}

/** Says what whoever sent a request may not see of a session; undefined if they may see everything. */
export type ChooseView = (
  request: Request,
  session: string,
) => View | undefined | Promise<View | undefined>

/** Hides the reasoning of the model. */
export const withoutThinking: View = { hiddenTypes: ['thinking'] }

/** Hides what goes into tools and what comes out of them; that they are called stays. */
export const withoutToolInternals: View = {
  hiddenTypes: ['tool_result_image'],
  hiddenFields: {
    tool_call: ['delta'],
    server_tool_call: ['delta'],
    tool_result: ['delta'],
    server_tool_result: ['delta'],
    tool_status: ['delta'],
    awaiting_frontend_tools: ['input'],
    awaiting_approval: ['input'],
  },
}

/** Hides all that any of the views hides. */
export function joinViews(...views: readonly View[]): View {
  const fields = new Map<string, readonly string[]>()
  for (const { hiddenFields = {} } of views) {
    for (const [type, names] of Object.entries(hiddenFields)) {
      fields.set(type, [...(fields.get(type) ?? []), ...names])
    }
  }
  return {
    hidesAgent: (agent) => views.some(({ hidesAgent }) => hidesAgent?.(agent) === true),
    hiddenTypes: views.flatMap(({ hiddenTypes = [] }) => hiddenTypes),
    hiddenFields: Object.fromEntries(fields),
  }
}
