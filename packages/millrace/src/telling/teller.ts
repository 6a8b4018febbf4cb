import { blockKey, createJoiner, type Envelope, isStepBoundary } from '../envelope/index.ts'
import { decisionFieldsIn } from './approval-fields.ts'
import { BlockTeller } from './block-teller.ts'
import type { Telling, ToldImage } from './telling.ts'
import { callsIn, objectsIn, payloadOf } from './told-payload.ts'

/** Turns the messages of a log into what they tell. */
export interface Teller {
  /** Takes the next message, whose id is that of the last one it stands for. */
  take(envelope: Envelope, id: number): readonly Telling[]
  /** Ends the blocks that are open, because no more messages come. */
  finish(): readonly Telling[]
}

/** Creates a teller for the log of a session, whose id is that of its root agent. */
export function createTeller(session: string): Teller {
  return new LogTeller(session)
}

/** What a whole message tells. */
type Tell = (teller: LogTeller, whole: Envelope, key: string) => Telling | undefined

class LogTeller implements Teller {
  readonly #session: string
  readonly #blocks = new BlockTeller()
  readonly #joiner = createJoiner()
  /** The keys of messages that are not whole. */
  readonly #keys = new Map<string, string>()
  /** Images that wait for the end of their result. [LIFE-4] */
  readonly #images = new Map<string, ToldImage[]>()

  constructor(session: string) {
    this.#session = session
  }

  take(envelope: Envelope, id: number): readonly Telling[] {
    const key = `b${id - (envelope.span ?? 1) + 1}`
    if (envelope.type === 'citation') this.#cite(envelope)
    else if (this.#blocks.takes(envelope)) this.#blocks.take(envelope, key)
    else this.#takeWhole(envelope, key)
    return this.#blocks.drain()
  }

  finish(): readonly Telling[] {
    this.#blocks.endAll()
    return this.#blocks.drain()
  }

  isRoot(agent: string): boolean {
    return agent === this.#session
  }

  takeBack(agent: string) {
    return this.#blocks.takeBack(agent)
  }

  hold(whole: Envelope): void {
    const image = { src: textOf(whole, 'src'), mediaType: textOf(whole, 'media_type') }
    const images = this.#images.get(callKey(whole))
    if (images === undefined) this.#images.set(callKey(whole), [image])
    else images.push(image)
  }

  release(whole: Envelope): readonly ToldImage[] {
    const images = this.#images.get(callKey(whole)) ?? []
    this.#images.delete(callKey(whole))
    return images
  }

  #cite(envelope: Envelope): void {
    const whole = this.#joiner.push(envelope)
    if (whole !== undefined) this.#blocks.cite(whole)
  }

  #takeWhole(envelope: Envelope, key: string): void {
    const name = blockKey(envelope)
    const first = this.#keys.get(name) ?? key
    const whole = this.#joiner.push(envelope)
    if (whole === undefined) {
      this.#keys.set(name, first)
      return
    }
    this.#keys.delete(name)
    // A result may come while the model speaks on; all else follows the end of what its agent said.
    this.#blocks.settle(envelope.agent)
    const telling = (tells.get(whole.type) ?? tellOther)(this, whole, first)
    if (isStepBoundary(whole.type)) this.#blocks.keep(whole.agent)
    if (telling !== undefined) this.#blocks.say(telling)
  }
}

const tellOther: Tell = (_, envelope) => ({ type: 'other', agent: envelope.agent, envelope })

/** Says something of which the payload is all there is to know. */
const tellInfo =
  (type: 'compaction' | 'error' | 'summary'): Tell =>
  (_, { agent, delta }) => ({ type, agent, info: payloadOf(delta) })

const tellAwaiting =
  (what: 'results' | 'approvals'): Tell =>
  (_, { agent, delta }) => ({ type: 'awaiting', what, agent, calls: callsIn(delta, agent) })

const tellResult: Tell = (teller, whole, key) => {
  const { type, agent, delta: text, is_error, interrupted } = whole
  return {
    type: 'result',
    agent,
    isServer: type === 'server_tool_result',
    toolUseId: textOf(whole, 'id'),
    name: textOf(whole, 'name'),
    text,
    isError: is_error === true,
    isInterrupted: interrupted === true,
    images: teller.release(whole),
    key,
  }
}

const tells: ReadonlyMap<string, Tell> = new Map<string, Tell>([
  [
    'meta_init',
    (teller, { agent, delta }) => ({
      type: 'run_start',
      agent,
      isRoot: teller.isRoot(agent),
      info: payloadOf(delta),
    }),
  ],
  ['tool_result', tellResult],
  ['server_tool_result', tellResult],
  [
    'tool_result_image',
    (teller, whole) => {
      teller.hold(whole)
      return undefined
    },
  ],
  [
    'tool_status',
    (_, whole) => ({
      type: 'status',
      agent: whole.agent,
      toolUseId: textOf(whole, 'id'),
      name: textOf(whole, 'name'),
      stage: textOf(whole, 'stage'),
      detail: whole.delta,
      fields: decisionFieldsIn(whole),
    }),
  ],
  ['user_message', (_, { agent, delta: text }, key) => ({ type: 'steered', agent, text, key })],
  ['awaiting_frontend_tools', tellAwaiting('results')],
  ['awaiting_approval', tellAwaiting('approvals')],
  ['meta_step', (_, { agent, delta }) => ({ type: 'step_end', agent, info: payloadOf(delta) })],
  [
    'rollback',
    (teller, { agent, delta }) => ({
      type: 'rollback',
      agent,
      info: payloadOf(delta),
      voided: teller.takeBack(agent),
    }),
  ],
  [
    'meta_files',
    (_, { agent, delta }, key) => ({
      type: 'files',
      agent,
      files: objectsIn(payloadOf(delta)['files']),
      key,
    }),
  ],
  ['meta_compaction', tellInfo('compaction')],
  ['error', tellInfo('error')],
  ['meta_final', tellInfo('summary')],
  [
    'meta_end',
    (teller, { agent, delta }) => ({
      type: 'run_end',
      agent,
      isRoot: teller.isRoot(agent),
      info: payloadOf(delta),
    }),
  ],
])

function textOf(envelope: Envelope, field: string): string {
  const value = envelope[field]
  return typeof value === 'string' ? value : ''
}

function callKey({ agent, id = '' }: Envelope): string {
  return `${agent}\n${id}`
}
