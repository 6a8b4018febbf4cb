import { sharedReads } from '../access/shares.ts'
import { MillraceError } from '../../errors/index.ts'
import { type catalog, type EnvelopeType, traitsOf, typesWith } from '../../events/index.ts'

/** A view compiled for filtering. */
export interface ViewRules {
  readonly session: string
  /** The id of the root agent, which is always shown. */
  readonly root: string
  readonly hidesAgent: (agent: string) => boolean
  readonly hidesType: (type: string) => boolean
  /** Fields of a type that are removed or emptied. */
  readonly fieldsOf: (type: string) => ReadonlySet<string>
}

/** Fields that relate and count frames. */
const neededFields = ['type', 'agent', 'final', 'id', 'more', 'span']

const none: ReadonlySet<string> = new Set()

/** Compiles a view; throws if it hides data that readers need. */
export function createViewRules(view: View, session: string, root = session): ViewRules {
  const types = new Set<string>(view.hiddenTypes)
  const fields = new Map(
    Object.entries(view.hiddenFields ?? {}).map(([type, names]) => [type, new Set(names)]),
  )
  check(types, fields)
  const hidesContent = [...types, ...fields.keys()].some(
    (type) => traitsOf(type)?.isConversation === true,
  )
  if (hidesContent || hides(types, fields, 'meta_init.user_query')) {
    for (const type of typesWith('history')) {
      fields.set(type, new Set([...(fields.get(type) ?? none), traitsOf(type)?.history ?? '']))
    }
  }
  for (const type of typesWith('hiddenWith')) {
    const revealing = Object.entries(traitsOf(type)?.hiddenWith ?? {})
      .filter(([, sources]) => sources.some((source) => hides(types, fields, source)))
      .map(([field]) => field)
    fields.set(type, new Set([...(fields.get(type) ?? none), ...revealing]))
  }
  const { hidesAgent = () => false } = view
  return {
    session,
    root,
    hidesAgent: (agent) => agent !== root && hidesAgent(agent),
    hidesType: (type) => types.has(type),
    fieldsOf: (type) => fields.get(type) ?? none,
  }
}

/** Checks whether a view hides a type, or a field of a type as `type.field`. */
function hides(
  types: ReadonlySet<string>,
  fields: ReadonlyMap<string, ReadonlySet<string>>,
  source: string,
): boolean {
  const [type = '', field] = source.split('.')
  return field === undefined ? types.has(type) : fields.get(type)?.has(field) === true
}

/** Returns the view of a session for a request. */
export type ViewOf = (request: Request, session: string) => Promise<ViewRules | undefined>

/** Creates the function that finds the view of a request. */
export function toViewRules(
  choose: ChooseView = () => undefined,
  findRoot: (session: string) => Promise<string> = async (session) => session,
): ViewOf {
  // Cached, because a request may ask several times and must get the same view.
  const known = new WeakMap<Request, Map<string, Promise<ViewRules | undefined>>>()
  const find = async (request: Request, session: string): Promise<ViewRules | undefined> => {
    const view = await choose(request, session, { isShared: sharedReads.has(request) })
    return view && createViewRules(view, session, await findRoot(session))
  }
  return (request, session) => {
    const ofRequest = known.get(request) ?? new Map<string, Promise<ViewRules | undefined>>()
    known.set(request, ofRequest)
    const rules = ofRequest.get(session) ?? find(request, session)
    ofRequest.set(session, rules)
    return rules
  }
}

/** Checks whether the content of a type is one JSON object, whose members are its fields. */
export function isPayload(type: string): boolean {
  const traits = traitsOf(type)
  return traits?.delta === 'json' && traits.required === undefined
}

function check(types: ReadonlySet<string>, fields: ReadonlyMap<string, ReadonlySet<string>>): void {
  const type = [...types].find((hidden) => traitsOf(hidden)?.isNeeded === true)
  if (type !== undefined) {
    throw new MillraceError(
      'internal',
      `The view hides ${type}, which readers need to follow the stream; hide fields of it, or the whole agent.`,
    )
  }
  for (const [owner, names] of fields) {
    const field = neededFields.find((needed) => names.has(needed))
    if (field === undefined) continue
    throw new MillraceError(
      'internal',
      `The view hides \`${field}\` of ${owner}, which readers need to relate frames; hide the type, or the whole agent.`,
    )
  }
}

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

/** Chooses the view of a session for a request, or for the holder of its share link; undefined shows everything. */
export type ChooseView = (
  request: Request,
  session: string,
  reader: { readonly isShared: boolean },
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
