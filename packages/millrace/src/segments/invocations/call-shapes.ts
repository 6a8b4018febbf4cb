import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** The keys that identify a JSON value as a call; in each row an earlier key takes precedence. */
interface CallShapes {
  /** Keys of arrays of calls. */
  readonly lists: readonly string[]
  /** Keys of an object that is the call, or contains its name. */
  readonly wrappers: readonly string[]
  /** Keys of a name that only calls have. */
  readonly ownNames: readonly string[]
  /** Keys of a name that other data has too: they count in a wrapper or next to arguments. */
  readonly commonNames: readonly string[]
  /** Keys of the arguments: an object, or a JSON string that contains one; null counts as absent. */
  readonly arguments: readonly string[]
  readonly ids: readonly string[]
  /** Pairs of keys that only the definition of a tool contains: an echo of a definition is not a call. */
  readonly definitions: readonly (readonly [string, string])[]
}

/** The keys that models write in JSON calls. */
export const callShapes: CallShapes = {
  lists: ['tool_calls', 'tools'],
  wrappers: ['tool', 'function', 'functionCall', 'function_call'],
  ownNames: ['tool_name', 'function', 'tool'],
  commonNames: ['name', 'action'],
  arguments: ['arguments', 'parameters', 'args', 'input', 'tool_input', 'action_input'],
  ids: ['id', 'tool_call_id', 'call_id'],
  definitions: [
    ['description', 'parameters'],
    ['description', 'input_schema'],
    ['description', 'inputSchema'],
  ],
}

/** A call in a JSON value; its arguments are not checked. */
export interface FoundCall {
  readonly name: string
  readonly arguments?: JsonValue
  readonly id?: string
}

/** Finds every call in a JSON value, in order; a common name alone is not a call. */
export function findCalls(value: JsonValue): FoundCall[] {
  const search: Search = { firstOnly: false, found: [] }
  collect(search, value, { depth: 0, wrapped: false, whole: true, hasArguments: false })
  return search.found.map(({ call }) => call)
}

/**
 * Returns the name of the first call in a value that may still grow, once the name cannot grow and an argument key
 * is present; undefined until then, and always if it is not a call.
 */
export function findCallName(
  value: JsonValue | undefined,
  { whole }: { readonly whole: boolean },
): string | undefined {
  const search: Search = { firstOnly: true, found: [] }
  collect(search, value, { depth: 0, wrapped: false, whole, hasArguments: false })
  const [first] = search.found
  return first?.isStarted === true ? first.call.name : undefined
}

/** A list of messages with a list of calls with a wrapper in each is four levels deep. */
const MAX_DEPTH = 4

interface Search {
  /** Whether to stop at the first call, so that a search at every delta stays cheap. */
  readonly firstOnly: boolean
  readonly found: { readonly call: FoundCall; readonly isStarted: boolean }[]
}

interface Context {
  readonly depth: number
  readonly wrapped: boolean
  /** Whether the value at this position cannot grow. */
  readonly whole: boolean
  readonly hasArguments: boolean
  readonly arguments?: JsonValue
  readonly id?: string
}

/** Collects the calls at a position and returns whether there are any. */
function collect(search: Search, value: JsonValue | undefined, context: Context): boolean {
  if (context.depth > MAX_DEPTH) return false
  if (isJsonArray(value)) return collectList(search, value, context)
  if (!isJsonObject(value)) return false
  const here = enterObject(value, context)
  return collectInner(search, value, here) || collectCall(search, value, here)
}

function collectList(search: Search, list: readonly JsonValue[], context: Context): boolean {
  const before = search.found.length
  const end = search.firstOnly ? Math.min(1, list.length) : list.length
  for (let index = 0; index < end; index++) {
    const whole = context.whole || index < list.length - 1
    collect(search, list[index], { ...toListContext(context), depth: context.depth + 1, whole })
  }
  return search.found.length > before
}

function collectInner(search: Search, object: JsonObject, here: Context): boolean {
  const { lists, wrappers } = callShapes
  const list = lists.find((key) => isJsonArray(object[key]))
  if (
    list !== undefined &&
    collect(search, object[list], enterKey(object, list, toListContext(here)))
  ) {
    return true
  }
  const wrapper = wrappers.find((key) => isJsonObject(object[key]))
  return wrapper !== undefined && collect(search, object[wrapper], enterKey(object, wrapper, here))
}

function collectCall({ found }: Search, object: JsonObject, here: Context): boolean {
  const { ownNames, commonNames, definitions } = callShapes
  if (definitions.some((keys) => keys.every((key) => object[key] !== undefined))) return false
  const counts = here.wrapped || here.hasArguments
  const keys = counts ? [...ownNames, ...commonNames] : ownNames
  const key = keys.find((name) => isText(object[name]))
  const name = key === undefined ? undefined : object[key]
  if (key === undefined || !isText(name)) return false
  const { whole } = enterKey(object, key, here)
  found.push({ call: toFoundCall(name, here), isStarted: whole && here.hasArguments })
  return true
}

function toFoundCall(name: string, here: Context): FoundCall {
  return {
    name,
    ...(here.arguments !== undefined && { arguments: here.arguments }),
    ...(here.id !== undefined && { id: here.id }),
  }
}

/** Returns the context inside an object; facts that it does not state are inherited. */
function enterObject(object: JsonObject, context: Context): Context {
  const argumentsKey = callShapes.arguments.find((key) => object[key] != null)
  const id = callShapes.ids.map((key) => object[key]).find(isText)
  const given = argumentsKey === undefined ? undefined : object[argumentsKey]
  return {
    ...context,
    ...(given !== undefined && { arguments: given }),
    ...(id !== undefined && { id }),
    hasArguments:
      context.hasArguments || callShapes.arguments.some((key) => object[key] !== undefined),
  }
}

/** Returns the context under a key: only the value of an object's last key can grow. */
function enterKey(object: JsonObject, key: string, here: Context): Context {
  const whole = here.whole || Object.keys(object).at(-1) !== key
  return { ...here, depth: here.depth + 1, wrapped: true, whole }
}

/** The calls of a list inherit nothing from its context, except that it was in a wrapper. */
function toListContext({ depth, wrapped, whole }: Context): Context {
  return { depth, wrapped, whole, hasArguments: false }
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
