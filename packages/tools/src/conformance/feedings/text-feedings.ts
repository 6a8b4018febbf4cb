import type { JsonObject, JsonValue } from 'millrace'
import type { TextUnits } from '../implementation.ts'
import type { CaseTask } from '../kinds/kind-check.ts'
import { createRandom } from './feedings.ts'
import type { NativeCallDelta, NativeDelta } from 'millrace/segments'

/** One feeding of a stream: its chunks in order. */
interface FedPieces<Piece> {
  readonly name: string
  readonly pieces: Iterable<Piece>
}

/** Random cuts tried for each case, the same in each run. */
const RANDOM_FEEDINGS = 200
/** Maximum places, evenly spaced, at which a text is split in two. */
const MAX_SPLITS = 2000
/** Maximum chunk lengths of random cuts, used in turn: tokens, words, lines. */
const PIECE_LENGTHS = [3, 12, 60]

/** Yields tasks with a text, in every feeding that the implementation supports. */
export function* textTasks(
  own: readonly string[],
  input: JsonObject,
  units: TextUnits,
): Generator<CaseTask> {
  for (const { name, pieces } of textFeedings(own)) {
    const cut = units === 'utf-16' ? pieces : keepPairs(pieces)
    yield { input, feeding: name, fed: { form: 'text', pieces: cut } }
  }
}

/** Yields every feeding of a text: its own chunks, whole, by UTF-16 units, split in two, at random cuts. */
export function* textFeedings(own: readonly string[]): Generator<FedPieces<string>> {
  const text = own.join('')
  yield { name: 'its own pieces', pieces: own }
  yield { name: 'whole', pieces: [text] }
  yield { name: 'single characters', pieces: text.split('') }
  yield* splitFeedings(text)
  for (let seed = 1; seed <= RANDOM_FEEDINGS; seed++) {
    yield { name: `random cuts ${seed}`, pieces: cutAtRandom(text, createRandom(seed), seed) }
  }
}

function* splitFeedings(text: string): Generator<FedPieces<string>> {
  const step = Math.max(1, (text.length - 1) / MAX_SPLITS)
  for (let place = 1; place < text.length; place += step) {
    const at = Math.floor(place)
    yield { name: `split at ${at}`, pieces: [text.slice(0, at), text.slice(at)] }
  }
}

/** Cuts a text into chunks whose maximum length depends on the turn. */
function* cutAtRandom(text: string, random: () => number, turn: number): Generator<string> {
  const longest = PIECE_LENGTHS[turn % PIECE_LENGTHS.length] ?? 1
  for (let at = 0; at < text.length;) {
    const length = 1 + Math.floor(random() * longest)
    yield text.slice(at, at + length)
    at += length
  }
}

type Cut = (text: string) => Iterable<string>

/** Yields tasks with native deltas, in every feeding that the implementation supports. */
export function* nativeTasks(own: readonly NativeDelta[], units: TextUnits): Generator<CaseTask> {
  for (const { name, pieces } of nativeFeedings(own, units)) {
    // Plain JSON, as read from the case.
    const values = pieces as Iterable<NativeDelta & JsonValue>
    yield { input: {}, feeding: name, fed: { form: 'values', pieces: values } }
  }
}

/** Yields every feeding of native deltas: unchanged, with their texts in single characters, and at random cuts. */
export function* nativeFeedings(
  own: readonly NativeDelta[],
  units: TextUnits = 'utf-16',
): Generator<FedPieces<NativeDelta>> {
  const whole = units === 'utf-16' ? (pieces: Iterable<string>) => pieces : keepPairs
  yield { name: 'its own deltas', pieces: own }
  yield { name: 'single characters', pieces: cutDeltas(own, (text) => whole(text.split(''))) }
  yield { name: 'each call alone', pieces: cutDeltas(own, (text) => [text]) }
  for (let seed = 1; seed <= RANDOM_FEEDINGS; seed++) {
    const random = createRandom(seed)
    const cut: Cut = (text) => whole(cutAtRandom(text, random, seed))
    yield { name: `random cuts ${seed}`, pieces: cutDeltas(own, cut) }
  }
}

function* cutDeltas(deltas: readonly NativeDelta[], cut: Cut): Generator<NativeDelta> {
  for (const { content, tool_calls: calls } of deltas) {
    for (const piece of cut(content ?? '')) yield { content: piece }
    for (const call of calls ?? []) yield* cutCall(call, cut)
  }
}

/** The first chunk keeps the id and the name; the others only have the index, as providers send them. */
function* cutCall(call: NativeCallDelta, cut: Cut): Generator<NativeDelta> {
  const { arguments_delta: text, ...first } = call
  const { index } = call
  let start: NativeCallDelta = first
  for (const piece of cut(text ?? '')) {
    yield { tool_calls: [{ ...start, arguments_delta: piece }] }
    start = index === undefined ? {} : { index }
  }
  if (start === first) yield { tool_calls: [call] }
}

/** Moves cuts within a surrogate pair behind it, for implementations whose texts are code points. */
export function* keepPairs(pieces: Iterable<string>): Generator<string> {
  let held = ''
  for (const piece of pieces) {
    const text = held + piece
    const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length
    held = text.slice(end)
    if (end > 0 || piece === '') yield text.slice(0, end)
  }
  if (held !== '') yield held
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
