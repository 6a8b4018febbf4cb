import { traitsOf, typesWith } from '../../envelope/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { ChooseView, View } from './view.ts'

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
  if (hidesContent || fields.get('meta_init')?.has('user_query') === true) {
    for (const type of typesWith('history')) {
      fields.set(type, new Set([...(fields.get(type) ?? none), traitsOf(type)?.history ?? '']))
    }
  }
  // The frame of a queued prompt has the text that its run will have.
  if (fields.get('meta_init')?.has('user_query') === true) {
    fields.set('queued_prompt', new Set([...(fields.get('queued_prompt') ?? none), 'delta']))
  }
  if (hidesFiles(types, fields)) {
    fields.set('meta_init', new Set([...(fields.get('meta_init') ?? none), 'user_files']))
  }
  if (hidesInput(types, fields)) {
    for (const [type, names] of Object.entries(inputTraces)) {
      fields.set(type, new Set([...(fields.get(type) ?? none), ...names]))
    }
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

/** Checks whether prompt files are hidden, which follows from hidden files or prompts. */
function hidesFiles(
  types: ReadonlySet<string>,
  fields: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  return (
    types.has('meta_files') ||
    fields.get('meta_files')?.has('files') === true ||
    fields.get('meta_files')?.has('delta') === true ||
    fields.get('meta_init')?.has('user_query') === true
  )
}

/** Other fields that reveal arguments: short ones can be guessed from their hash, and `tool_status` quotes edited ones. */
const inputTraces = { awaiting_approval: ['input_hash'], tool_status: ['input_hash', 'delta'] }

/** Checks whether the arguments of calls that wait for approval are hidden. */
function hidesInput(
  types: ReadonlySet<string>,
  fields: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const hidden = fields.get('awaiting_approval') ?? none
  return types.has('awaiting_approval') || hidden.has('input') || hidden.has('delta')
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
    const view = await choose(request, session)
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
  return traits?.delta === 'json' && Object.keys(traits.required).length === 0
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
