import type { catalog, EnvelopeType } from '../../events/index.ts'

/** A frame type that a view can hide. Readers need the other types to follow the stream. [LOG-9] */
export type HidableType = {
  [Type in EnvelopeType]: (typeof catalog)[Type] extends { readonly isNeeded: true } ? never : Type
}[EnvelopeType]

/** The parts of a session that are hidden from a reader. Other frames keep their content and ids. [LOG-7] */
export interface View {
  /** Whether a sub-agent is hidden, by its id. The root agent is never hidden. */
  readonly hidesAgent?: (agent: string) => boolean
  /** Frame types that are left out. */
  readonly hiddenTypes?: readonly HidableType[]
  /**
   * Fields that are removed or emptied, by type: `delta`, an extra field, or a member of the JSON in `delta`, named as in the
   * tables of PROTOCOL.md.
   */
  readonly hiddenFields?: { readonly [Type in EnvelopeType]?: readonly string[] }
}

/** Chooses the view of a session for a request; undefined shows everything. */
export type ChooseView = (
  request: Request,
  session: string,
) => View | undefined | Promise<View | undefined>

/** Hides the reasoning of the model. */
export const withoutThinking: View = { hiddenTypes: ['thinking'] }

/** Hides the arguments and results of tools, but not the calls. */
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

/** Combines views: hides everything that one of them hides. */
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
