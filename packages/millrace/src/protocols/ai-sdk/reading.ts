import {
  type Envelope,
  type Extras,
  isAllowedIn,
  isPauseReason,
  type RunPhase,
  traitsOf,
} from '../../envelope/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** A block that grows. */
interface OpenBlock {
  readonly agent: string
  readonly type: string
  readonly fields: Extras
}

/** Facts of a message that its end tells; a page may put anything else beside them. */
const knownFacts: ReadonlySet<string> = new Set([
  'agent_uuid',
  'run_id',
  'model',
  'name',
  'usage',
  'cost',
  'stop_reason',
  'total_steps',
  'error',
])

/** So many blocks and calls may be open at once. */
const MAX_OPEN = 10_000

/** The messages that are read from a UI message stream, and where their agents stand. */
export class Reading {
  readonly #said: Envelope[] = []
  readonly #open = new Map<string, OpenBlock>()
  readonly #phases = new Map<string, RunPhase>()
  #root: string
  #facts: JsonObject = {}
  #messageId: string | undefined
  #steps = 0
  #hasBlocks = false

  constructor(root: string) {
    this.#root = root
  }

  get root(): string {
    return this.#root
  }

  get facts(): JsonObject {
    return this.#facts
  }

  /** Where the run stands; undefined before the first. */
  get phase(): RunPhase | undefined {
    return this.#phases.get(this.#root)
  }

  drain(): readonly Envelope[] {
    return this.#said.splice(0)
  }

  learn(facts: JsonValue | undefined): void {
    if (!isJsonObject(facts)) return
    const known = Object.entries(facts).filter(([name]) => knownFacts.has(name))
    this.#facts = { ...this.#facts, ...Object.fromEntries(known) }
  }

  /** A message is started; true if it is another than the one that goes on. */
  start(messageId: string | undefined): boolean {
    const isSame = messageId === undefined || messageId === this.#messageId
    if (isSame && (this.phase === 'paused' || this.phase === 'running')) return false
    this.#messageId = messageId
    this.#begin()
    return true
  }

  /** Makes sure that an agent has begun, also where the stream does not say so. */
  enter(agent: string, about: JsonObject = {}): void {
    if (this.phase === undefined || this.phase === 'ended') this.#begin()
    const phase = this.#phases.get(agent)
    if (phase !== undefined && phase !== 'ended') return
    this.#init(agent, about)
  }

  /** A sub-agent that waited speaks again, and the stream does not tell what it was answered. */
  wake(agent: string): void {
    this.enter(agent)
    if (agent !== this.#root && this.#phases.get(agent) === 'paused') this.#init(agent, {})
  }

  #init(agent: string, about: JsonObject): void {
    const { name, model, parent_agent_uuid, parent_tool_use_id, task } = about
    this.say('meta_init', agent, {
      format: 'json',
      user_query: task ?? '',
      agent_uuid: agent,
      parent_agent_uuid: typeof parent_agent_uuid === 'string' ? parent_agent_uuid : this.#root,
      model: model ?? '',
      ...(name !== undefined && { name }),
      ...(parent_tool_use_id !== undefined && { parent_tool_use_id }),
    })
  }

  /** Says a whole message; what is no text is said as JSON. */
  say(type: string, agent: string, content: JsonValue, fields: Extras = {}): void {
    const delta = typeof content === 'string' ? content : JSON.stringify(content)
    this.#push({ type, agent, final: true, delta, ...fields })
  }

  /** Says a message that is no end of anything and has no content. */
  sayPart(type: string, agent: string, fields: Extras): void {
    this.#push({ type, agent, final: false, delta: '', ...fields })
  }

  /** Says a piece of a block under a key of the stream. */
  grow(key: string, block: OpenBlock, delta: string): void {
    const { type, agent, fields } = this.#open.get(key) ?? block
    if (this.#open.size >= MAX_OPEN && !this.#open.has(key)) throw tooMany()
    this.#open.set(key, { type, agent, fields })
    if (agent === this.#root) this.#hasBlocks = true
    if (delta !== '') this.#push({ type, agent, final: false, delta, ...fields })
  }

  /** Says the end of a block; one that never grew may be given all that it holds. */
  end(key: string, block: OpenBlock, rest = '', isInterrupted = false): void {
    this.grow(key, block, '')
    this.#open.delete(key)
    const { type, agent, fields } = block
    const isProse = type === 'text' || type === 'thinking'
    if (isProse && rest !== '') this.#push({ type, agent, final: false, delta: rest, ...fields })
    const mark = isInterrupted ? { interrupted: true } : {}
    this.#push({ type, agent, final: true, delta: isProse ? '' : rest, ...fields, ...mark })
  }

  /** Ends a block that is open, and tells whose it was. */
  endOpen(key: string, isInterrupted: boolean): string | undefined {
    const block = this.#open.get(key)
    if (block !== undefined) this.end(key, block, '', isInterrupted)
    return block?.agent
  }

  /** Says an item, which is a message of its own in any case. [ENV-8] */
  sayItem(type: string, agent: string, delta: string, fields: Extras & { final: boolean }): void {
    this.#push({ type, agent, delta, ...fields })
  }

  isOpen(key: string): boolean {
    return this.#open.has(key)
  }

  /** Closes what the stream has left open of an agent, as must be done before most of what it says next. [LIFE-2] */
  close(agent: string): void {
    for (const [key, block] of this.#open) if (block.agent === agent) this.end(key, block, '', true)
  }

  /** Ends the model's part of a step, if it has said anything. [LIFE-7] */
  endStep(): void {
    if (!this.#hasBlocks || this.phase !== 'running') return
    this.close(this.#root)
    this.#hasBlocks = false
    this.say('meta_step', this.#root, { step: ++this.#steps })
  }

  /** Takes back what an agent has said in its step. [LIFE-8] */
  takeBack(agent: string, info: JsonObject): void {
    this.close(agent)
    if (agent === this.#root) this.#hasBlocks = false
    this.say('rollback', agent, { step: this.#steps + 1, ...info })
  }

  fail(agent: string, error: JsonObject): void {
    this.close(agent)
    const { type = 'error', message = '', code = 'unknown', retriable = false } = error
    this.say('error', agent, { type, message, code, retriable })
  }

  /** Ends an agent; the root's end is that of the run, and of all who work for it. */
  endAgent(agent: string, info: JsonObject): void {
    this.close(agent)
    const isRoot = agent === this.#root
    const others = isRoot ? [...this.#phases].filter(([other]) => other !== agent) : []
    for (const [other, phase] of others) {
      if (phase === 'running' || phase === 'failed')
        this.endAgent(other, { stop_reason: info['stop_reason'] ?? null })
    }
    this.say('meta_end', agent, isRoot ? { total_steps: this.#steps, ...info } : info)
    this.#phases.set(agent, isPauseReason(info['stop_reason']) ? 'paused' : 'ended')
  }

  /** Takes what the agent may say now; a stream that says more than that is not made worse. */
  #push(envelope: Envelope): void {
    const { agent, type, final } = envelope
    if (!isAllowedIn(type, this.#phases.get(agent) ?? 'running')) return
    this.#said.push(envelope)
    const next = final ? traitsOf(type)?.phase : undefined
    if (next !== undefined) this.#phases.set(agent, next)
  }

  #begin(): void {
    if (this.phase === 'running') this.endAgent(this.#root, { stop_reason: 'unknown' })
    if (this.phase === 'failed') this.endAgent(this.#root, { stop_reason: 'error' })
    const { agent_uuid, model, name, run_id } = this.#facts
    if (typeof agent_uuid === 'string') this.#root = agent_uuid
    this.#steps = 0
    this.#hasBlocks = false
    this.#open.clear()
    this.#phases.clear()
    this.say('meta_init', this.#root, {
      format: 'json',
      user_query: '',
      agent_uuid: this.#root,
      parent_agent_uuid: null,
      model: model ?? '',
      protocol_version: 1,
      run_id: run_id ?? this.#messageId ?? '',
      ...(name !== undefined && { name }),
    })
  }
}

function tooMany(): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `More than ${MAX_OPEN} blocks are open at once, which no stream of an agent has.`,
  )
}
