import type { JsonValue } from 'millrace'
import type { NativeCallDelta, NativeDelta } from 'millrace/segments'
import type { TextUnits } from '../implementation.ts'
import { keepPairs } from './keep-pairs.ts'
import type { CaseTask } from '../kinds/kind-check.ts'
import { createRandom } from './seeded-random.ts'
import { cutAtRandom, type FedPieces, RANDOM_FEEDINGS } from './text-feedings.ts'

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
