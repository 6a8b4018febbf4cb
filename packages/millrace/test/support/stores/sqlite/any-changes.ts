import fc from 'fast-check'
import type { Append, Part, PartChange, Store } from '../../../../src/stores/port/index.ts'

/** One call of a store. */
export type Call = (store: Store) => Promise<unknown>

/** The changes of an append besides its lines, and an error in the version of the inbox that its writer assumes. */
export type Extras = Pick<Append, 'head' | 'parts' | 'commands'> & { readonly inboxOff?: number }

/** Any text, also with NULs. */
export const anyText = fc.string({ unit: 'binary', maxLength: 20 })

const key = fc.constantFrom('k1', 'k2', 'k3', 'ü', '')
const collection = fc.constantFrom('runs', 'lane:0', 'own:cells')
const number = fc.constantFrom(0, 1, 2, 3, 2 ** 33)
const part: fc.Arbitrary<PartChange> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ collection, number, frame: fc.nat(9), body: anyText }) },
  fc.record({ collection, number, body: fc.constant(null) }),
)
const isPut = (change: PartChange): change is Part => change.body !== null
const commands = fc.array(fc.record({ key, body: anyText, isPending: fc.boolean() }), {
  maxLength: 3,
})

/** The changes of appends besides their lines. */
export const anyExtras: fc.Arbitrary<Extras> = fc.record(
  {
    head: anyText,
    parts: fc.array(part, { maxLength: 4 }),
    commands,
    inboxOff: fc.constantFrom(0, 0, 0, 1),
  },
  { requiredKeys: [] },
)

/** An append to a session in the current state of a store. */
export async function toAppend(
  store: Store,
  { tailOff, ...append }: Omit<Append, 'tail'> & { readonly tailOff: number },
  { inboxOff, ...extras }: Extras,
): Promise<Append> {
  const { tail = 0, inbox = 0 } = (await store.info(append.session)) ?? {}
  const seen = inboxOff === undefined ? {} : { inbox: inbox + inboxOff }
  return { ...append, ...extras, ...seen, tail: tail + tailOff }
}

/** Calls that change an inbox, or claims. */
export function anyInboxWrite(name: fc.Arbitrary<string>): fc.Arbitrary<Call> {
  const command = fc.tuple(name, fc.record({ key, body: anyText }))
  const submit = command.map(
    (given): Call =>
      (store) =>
        store.submit(...given),
  )
  const settle = command.map(
    (given): Call =>
      (store) =>
        store.settle(...given),
  )
  const claim = fc
    .tuple(
      name,
      fc.constantFrom('c1', 'c2'),
      fc.constantFrom('p1', 'p2'),
      fc.constantFrom(0, 9, 99),
    )
    .map(
      (given): Call =>
        (store) =>
          store.claim(...given),
    )
  return fc.oneof({ weight: 3, arbitrary: submit }, { weight: 2, arbitrary: settle }, claim)
}

/** Calls that create or list branches, or drop frames. */
export function anyBranchCall(name: fc.Arbitrary<string>): fc.Arbitrary<Call> {
  const fork = fc.tuple(name, name, fc.nat(9), fc.array(part, { maxLength: 2 })).map(
    ([from, to, frame, parts]): Call =>
      (store) =>
        store.fork({ from, to, frame, head: 'of a branch', parts: parts.filter(isPut) }),
  )
  const branches = name.map((session): Call => async (store) => {
    const found = await store.branches(session, 9)
    return found.map(({ session: to, frame }) => `${to} ${frame}`).sort()
  })
  const trim = fc.tuple(name, fc.nat(9)).map(
    (given): Call =>
      (store) =>
        store.trim(...given),
  )
  return fc.oneof({ weight: 3, arbitrary: fork }, branches, trim)
}

/** Calls that read data beside the log. */
export function anyRead(name: fc.Arbitrary<string>): fc.Arbitrary<Call> {
  const range = fc.oneof(
    fc.record({ after: fc.integer({ min: -1, max: 3 }), limit: fc.nat(3) }),
    fc.record({ before: fc.constantFrom(0, 2, 4, 2 ** 40), limit: fc.nat(3) }),
  )
  return fc.oneof(
    fc.tuple(name, key).map(
      (given): Call =>
        (store) =>
          store.command(...given),
    ),
    name.map(
      (session): Call =>
        (store) =>
          store.pending(session),
    ),
    fc.tuple(name, collection, range).map(
      (given): Call =>
        (store) =>
          store.parts(...given),
    ),
    fc.constant<Call>(readUnattended),
  )
}

/** The sessions with pending commands and without a lease, and the numbers of these commands. */
export async function readUnattended(store: Store): Promise<readonly string[]> {
  const { rows } = await store.unattended(9)
  return rows.map(({ session, pending }) => `${session} ${pending}`).sort()
}

/** All data of a session in a store besides its log. */
export async function readBeside(store: Store, session: string): Promise<unknown> {
  const range = { after: -1, limit: 9 }
  return {
    runs: await store.parts(session, 'runs', range),
    lane: await store.parts(session, 'lane:0', range),
    commands: await Promise.all(['k1', 'k2', 'k3', 'ü'].map((one) => store.command(session, one))),
    pending: await store.pending(session),
  }
}
