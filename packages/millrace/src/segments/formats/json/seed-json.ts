import { compileCalls, probeCall } from '../../engine/bodies/calls-body.ts'
import { code } from '../../characters.ts'
import { JsonScan } from '../../engine/scan/json-scan.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import type { CustomBody, Format } from '../../format.ts'

/** The start of a provider's calls: the first key of an object, or of the first object of a list. */
interface JsonProfile {
  readonly objectKeys: readonly string[]
  readonly listKeys: readonly string[]
  /** The first key is common in other data: the arguments must follow. */
  readonly needsArguments?: boolean
}

const profiles = {
  openai: {
    objectKeys: ['tool', 'tool_calls', 'tools', 'function'],
    listKeys: ['tool', 'function'],
  },
  gemini: { objectKeys: ['name'], listKeys: ['name'], needsArguments: true },
  default: { objectKeys: ['tool', 'function'], listKeys: [] },
} satisfies Readonly<Record<string, JsonProfile>>

/** Providers whose models use another notation than the default one. */
const providers: Readonly<Record<string, keyof typeof profiles>> = {
  openai: 'openai',
  mistral: 'openai',
  deepseek: 'openai',
  grok: 'openai',
  gemini: 'gemini',
}

/** JSON calls in text as defined by the streaming parser design, in the notation of a provider's models. */
export function seedJson(provider = ''): Format {
  const key = provider.trim().toLowerCase()
  return formats[(Object.hasOwn(providers, key) && providers[key]) || 'default']
}

function* hasSignature(reader: Reader, profile: JsonProfile): Reading<boolean> {
  const { position } = reader
  const { maxProbe } = reader.limits
  const isList = (yield* reader.peek()) === code.openBracket
  if (isList) reader.position++
  if ((yield* reader.skipSpace(maxProbe)) !== code.openBrace) return false
  reader.position++
  const key = yield* readKey(reader)
  const keys = isList ? profile.listKeys : profile.objectKeys
  if (key === undefined || !keys.includes(key)) return false
  if (profile.needsArguments !== true) return true
  reader.position = position
  return (yield* probeCall(reader)) !== undefined
}

/** Reads `"key":` with white space around it. */
function* readKey(reader: Reader): Reading<string | undefined> {
  const { maxProbe } = reader.limits
  if ((yield* reader.skipSpace(maxProbe)) !== code.quote) return undefined
  const start = ++reader.position
  for (;;) {
    const unit = yield* reader.peek()
    if (unit === -1 || reader.position - start > maxProbe) return undefined
    if (unit === code.quote) break
    reader.position++
  }
  const key = reader.input.slice(start, reader.position++)
  return (yield* reader.skipSpace(maxProbe)) === code.colon ? key : undefined
}

const readCalls = compileCalls({})

function createFormat(name: string, profile: JsonProfile): Format {
  const first = profile.listKeys.length > 0 ? '{[' : '{'
  const probe = (reader: Reader): Reading<boolean> => hasSignature(reader, profile)
  return {
    name,
    blocks: [{ open: { probe, first, at: 'anywhere', isJson: true }, body: { custom: readJson } }],
  }
}

/** A call that is shown as a file or command is parsed; any other is passed on unchanged. */
const readJson: CustomBody = function* (reader, opening) {
  const { position } = reader
  const name = reader.projectsJson ? yield* probeCall(reader) : undefined
  reader.position = position
  if (name !== undefined && reader.projectionOf(name) !== undefined) {
    return yield* readCalls(reader, opening)
  }
  reader.accept()
  const segment = reader.segment('tool_call', {})
  const { maxDepth, maxHeld: maxLook } = reader.limits
  const scan = new JsonScan({ use: segment, maxDepth, maxLook, lenient: true }, position)
  yield scan
  reader.position = scan.position
  if (scan.outcome === 'complete') segment.end()
  else segment.end(scan.outcome === 'cut' ? { complete: false } : { malformed: true })
  return true
}

const formats: Readonly<Record<keyof typeof profiles, Format>> = {
  openai: createFormat('seed-json-openai', profiles.openai),
  gemini: createFormat('seed-json-gemini', profiles.gemini),
  default: createFormat('seed-json', profiles.default),
}
