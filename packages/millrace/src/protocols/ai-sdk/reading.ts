import {
  type Envelope,
  type Extras,
  isPauseReason,
  isProse,
  type RunPhase,
  traitsOf,
} from '../../events/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

interface OpenBlock {
  readonly agent: string
  readonly type: string
  readonly fields: Extras
}

/** Known metadata of a message. A page may add other fields. */
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

/** Maximum number of open blocks and calls. */
const MAX_OPEN = 10_000

/** Frames that are read from a UI message stream, and the phases of their agents. */
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

  /** The phase of the run; undefined before the first run. */
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

  /** Starts a message; returns false if it continues the current one. */
  start(messageId: string | undefined): boolean {
    const isSame = messageId === undefined || messageId === this.#messageId
    if (isSame && (this.phase === 'paused' || this.phase === 'running')) return false
    this.#messageId = messageId
    this.#begin()
    return true
  }

  /** Starts an agent unless it has started, even if the stream does not announce it. */
  enter(agent: string, about: JsonObject = {}): void {
    if (this.phase === undefined || this.phase === 'ended') this.#begin()
    const phase = this.#phases.get(agent)
    if (phase !== undefined && phase !== 'ended') return
    this.#init(agent, about)
  }

  /** Starts an agent, and restarts a paused sub-agent: the stream does not contain its answers. */
  resume(agent: string): void {
    this.enter(agent)
    if (agent !== this.#root && this.#phases.get(agent) === 'paused') this.#init(agent, {})
  }

  #init(agent: string, about: JsonObject): void {
    const { name, model, parent_agent_uuid, parent_tool_use_id, task } = about
    this.add('meta_init', agent, {
      format: 'json',
      user_query: task ?? '',
      agent_uuid: agent,
      parent_agent_uuid: typeof parent_agent_uuid === 'string' ? parent_agent_uuid : this.#root,
      model: model ?? '',
      ...(name !== undefined && { name }),
      ...(parent_tool_use_id !== undefined && { parent_tool_use_id }),
    })
  }

  /** Adds a complete frame. Content that is not text is encoded as JSON. */
  add(type: string, agent: string, content: JsonValue, fields: Extras = {}): void {
    const delta = typeof content === 'string' ? content : JSON.stringify(content)
    this.#push({ type, agent, final: true, delta, ...fields })
  }

  /** Adds a partial frame without content. */
  addPart(type: string, agent: string, fields: Extras): void {
    this.#push({ type, agent, final: false, delta: '', ...fields })
  }

  /** Adds a piece of a block under a key of the stream. */
  grow(key: string, block: OpenBlock, delta: string): void {
    const { type, agent, fields } = this.#open.get(key) ?? block
    if (this.#open.size >= MAX_OPEN && !this.#open.has(key))
      throw new MillraceError(
        'frame_too_large',
        `More than ${MAX_OPEN} blocks are open at once. Check that this is the stream of an agent.`,
      )
    this.#open.set(key, { type, agent, fields })
    if (agent === this.#root) this.#hasBlocks = true
    if (delta !== '') this.#push({ type, agent, final: false, delta, ...fields })
  }

  /** Ends a block. A block without pieces may get its whole content here. */
  end(key: string, block: OpenBlock, rest = '', isInterrupted = false): void {
    this.grow(key, block, '')
    this.#open.delete(key)
    const { type, agent, fields } = block
    const hasProse = isProse(type)
    if (hasProse && rest !== '') this.#push({ type, agent, final: false, delta: rest, ...fields })
    const mark = isInterrupted ? { interrupted: true } : {}
    this.#push({ type, agent, final: true, delta: hasProse ? '' : rest, ...fields, ...mark })
  }

  /** Ends an open block, and returns its agent. */
  endOpen(key: string, isInterrupted: boolean): string | undefined {
    const block = this.#open.get(key)
    if (block !== undefined) this.end(key, block, '', isInterrupted)
    return block?.agent
  }

  /** Adds an item, which is always a frame of its own. [ENV-8] */
  addItem(type: string, agent: string, delta: string, fields: Extras & { final: boolean }): void {
    this.#push({ type, agent, delta, ...fields })
  }

  isOpen(key: string): boolean {
    return this.#open.has(key)
  }

  /** Closes the blocks of an agent that the stream left open, as most further frames require. [LIFE-2] */
  close(agent: string): void {
    for (const [key, block] of this.#open) if (block.agent === agent) this.end(key, block, '', true)
  }

  /** Ends the model call of a step, if it had output. [LIFE-7] */
  endStep(): void {
    if (!this.#hasBlocks || this.phase !== 'running') return
    this.close(this.#root)
    this.#hasBlocks = false
    this.add('meta_step', this.#root, { step: ++this.#steps })
  }

  /** Rolls back the step of an agent. [LIFE-8] */
  rollBack(agent: string, info: JsonObject): void {
    this.close(agent)
    if (agent === this.#root) this.#hasBlocks = false
    this.add('rollback', agent, { step: this.#steps + 1, ...info })
  }

  fail(agent: string, error: JsonObject): void {
    this.close(agent)
    const { type = 'error', message = '', code = 'unknown', retriable = false } = error
    this.add('error', agent, { type, message, code, retriable })
  }

  /** Ends an agent. The end of the root ends the run and all its sub-agents. */
  endAgent(agent: string, info: JsonObject): void {
    this.close(agent)
    const isRoot = agent === this.#root
    const others = isRoot ? [...this.#phases].filter(([other]) => other !== agent) : []
    for (const [other, phase] of others) {
      if (phase === 'running' || phase === 'failed')
        this.endAgent(other, { stop_reason: info['stop_reason'] ?? null })
    }
    this.add('meta_end', agent, isRoot ? { total_steps: this.#steps, ...info } : info)
    this.#phases.set(agent, isPauseReason(info['stop_reason']) ? 'paused' : 'ended')
  }

  /** Adds a frame if the phase of its agent allows it; otherwise drops it. */
  #push(envelope: Envelope): void {
    const { agent, type, final } = envelope
    const row = traitsOf(type)
    const phase = this.#phases.get(agent) ?? 'running'
    if (row !== undefined && phase !== 'running' && !row.allowedIn?.includes(phase)) return
    this.#said.push(envelope)
    const next = final ? row?.phase : undefined
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
    this.add('meta_init', this.#root, {
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
