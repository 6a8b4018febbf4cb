import { createJoiner } from '../envelope/join.ts'
import { decodeEnvelope, type Envelope } from '../envelope/envelope.ts'
import { MAX_SSE_CHUNK_BYTES } from '../envelope/chunk.ts'
import { traitsOf } from '../catalog/find-traits.ts'
import { isMillraceError } from '../../errors/index.ts'
import { utf8Length } from '../../text/index.ts'
import { createDecoder } from '../decode/decode.ts'
import {
  type AgentTrack,
  createAgentTrack,
  keyInAgent,
  trackEvent,
  trackFrame,
} from './agent-track.ts'
import { type FrameRule, frameRules, type RuleContext, lifecycleRules } from './rules.ts'

/** A broken rule, its line and the fault. */
export interface Violation {
  readonly rule: string
  readonly message: string
  /** The line of the stream, counted from 1. */
  readonly line: number
}

/** Options of a verifier. */
export interface VerifierOptions {
  readonly maxBytes?: number
  /** Whether the stream starts inside a log, so that its past is assumed to be valid. */
  readonly isResumed?: boolean
  /** Whether `meta_end` is required; false for streams of the seed's thirteen types. */
  readonly needsEnd?: boolean
}

/** Checks a stream against the protocol, line by line. */
export interface Verifier {
  /** Checks the next line, with the id of its frame if it has one. */
  push(line: string, id?: number): readonly Violation[]
  /** Checks the end of the body, after `[DONE]` or without it. */
  end(isDone: boolean): readonly Violation[]
}

/** Creates a verifier for one stream. */
export function createVerifier({
  maxBytes = MAX_SSE_CHUNK_BYTES,
  isResumed = false,
  needsEnd = true,
}: VerifierOptions = {}): Verifier {
  return new StreamVerifier({ maxBytes, isResumed, needsEnd })
}

class StreamVerifier implements Verifier {
  readonly #options: Required<VerifierOptions>
  readonly #tracks = new Map<string, AgentTrack>()
  /** Joins blocks for the rules on their fields and JSON. */
  readonly #joiner = createJoiner()
  readonly #decoder = createDecoder()
  #lastId: number | undefined
  #count = 0

  constructor(options: Required<VerifierOptions>) {
    this.#options = options
  }

  push(line: string, id?: number): readonly Violation[] {
    this.#count++
    try {
      const frame = decodeEnvelope(line)
      const idFaults = id === undefined ? [] : this.#checkId(frame, id)
      return [...this.#checkLength(line), ...idFaults, ...this.#checkFrame(frame)]
    } catch (error) {
      if (!isMillraceError(error)) throw error
      return [this.#violation('ENV-10', error.message)]
    }
  }

  end(isDone: boolean): readonly Violation[] {
    if (!isDone) return [this.#violation('SSE-5', 'The stream ended without [DONE].')]
    const left = this.#joiner
      .open()
      .map(({ type, agent }) =>
        this.#violation(
          'LIFE-2',
          `The stream ended while ${type} of agent ${agent} is incomplete.`,
        ),
      )
    if (!this.#options.needsEnd || this.#hasEnded()) return left
    return [...left, this.#violation('LIFE-9', '[DONE] came before meta_end.')]
  }

  /** Checks whether the root agent has ended. Inside a log the root is unknown, so any agent counts. */
  #hasEnded(): boolean {
    const tracks = [...this.#tracks.values()]
    const candidates = tracks.filter(({ isRoot }) => isRoot || this.#options.isResumed)
    return candidates.length === 0 || candidates.some(({ hasEnded }) => hasEnded)
  }

  #violation(rule: string, message: string): Violation {
    return { rule, message, line: this.#count }
  }

  #checkLength(line: string): Violation[] {
    const bytes = utf8Length(line)
    if (bytes <= this.#options.maxBytes) return []
    return [this.#violation('CHUNK-1', `The line has ${bytes} of ${this.#options.maxBytes} bytes.`)]
  }

  #checkId(frame: Envelope, id: number): Violation[] {
    const before = id - (frame.span ?? 1)
    const expected = this.#lastId ?? (this.#options.isResumed ? before : 0)
    this.#lastId = id
    if (before === expected) return []
    return [this.#violation('LOG-2', `Id ${id} does not follow id ${expected}.`)]
  }

  #checkFrame(frame: Envelope): Violation[] {
    const track = this.#trackOf(frame.agent)
    const context = { row: traitsOf(frame.type), track }
    const faults = this.#faultsOf('frame', frame, context)
    trackFrame(track, frame, context.row)
    const whole = this.#joiner.push(frame)
    if (whole !== undefined) {
      faults.push(...this.#faultsOf('whole', whole, context))
      if (track.hasPast) track.known.add(keyInAgent(whole))
    }
    const event = this.#decoder.decodeFrame(frame)
    if (event === undefined) return faults
    for (const { id, fault } of lifecycleRules) {
      const found = fault(event, context)
      if (found !== undefined) faults.push(this.#violation(id, `${frame.type} ${found}.`))
    }
    if (context.row !== undefined) trackEvent(track, event, context.row)
    return faults
  }

  #trackOf(agent: string): AgentTrack {
    const known = this.#tracks.get(agent)
    if (known !== undefined) return known
    const track = createAgentTrack(
      this.#tracks.size === 0 && !this.#options.isResumed,
      this.#options.isResumed,
    )
    this.#tracks.set(agent, track)
    return track
  }

  #faultsOf(of: FrameRule['of'], subject: Envelope, context: RuleContext): Violation[] {
    return frameRules.flatMap((rule) => {
      const fault = rule.of === of ? rule.fault(subject, context) : undefined
      return fault === undefined ? [] : [this.#violation(rule.id, `${subject.type} ${fault}.`)]
    })
  }
}
