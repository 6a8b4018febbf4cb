import { isMillraceError } from '../errors/index.ts'
import { utf8Length } from '../text/index.ts'
import { type AgentTrack, createAgentTrack, trackMessage, trackWhole } from './agent-track.ts'
import { MAX_SSE_CHUNK_BYTES } from './chunk.ts'
import { decodeEnvelope } from './decode.ts'
import type { Envelope } from './envelope.ts'
import { createJoiner } from './joiner.ts'
import { lifecycleRules } from './lifecycle-rules.ts'

/** A rule that a stream broke, where, and how. */
export interface Violation {
  readonly rule: string
  readonly message: string
  /** Which line of the stream, counted from 1. */
  readonly line: number
}

/** How strict a verifier is. */
export interface VerifierOptions {
  readonly maxBytes?: number
  /** The stream begins in the middle of a log, so what came before is taken to be right. */
  readonly isResumed?: boolean
  /** Whether the end must be told by `meta_end`; false for streams of the seed's thirteen types. */
  readonly needsEnd?: boolean
}

/** Checks a stream against the protocol, line by line. */
export interface Verifier {
  /** Takes the next line, with the id of its frame where there is one. */
  push(line: string, id?: number): readonly Violation[]
  /** Takes the end of the body: after `[DONE]`, or without it. */
  end(isDone: boolean): readonly Violation[]
}

/** Creates a verifier for one stream. */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  return new StreamVerifier(options)
}

class StreamVerifier implements Verifier {
  readonly #maxBytes: number
  readonly #isResumed: boolean
  readonly #needsEnd: boolean
  readonly #tracks = new Map<string, AgentTrack>()
  readonly #joiner = createJoiner()
  #lastId: number | undefined
  #count = 0

  constructor({
    maxBytes = MAX_SSE_CHUNK_BYTES,
    isResumed = false,
    needsEnd = true,
  }: VerifierOptions) {
    this.#maxBytes = maxBytes
    this.#isResumed = isResumed
    this.#needsEnd = needsEnd
  }

  push(line: string, id?: number): readonly Violation[] {
    this.#count++
    try {
      const message = decodeEnvelope(line)
      const idFaults = id === undefined ? [] : this.#checkId(message, id)
      return [...this.#checkLength(line), ...idFaults, ...this.#checkMessage(message)]
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
        this.#violation('LIFE-2', `The stream ended while ${type} of agent ${agent} is not whole.`),
      )
    if (!this.#needsEnd || this.#hasEnded()) return left
    return [...left, this.#violation('LIFE-9', '[DONE] came before meta_end.')]
  }

  /** The root must have ended; in the middle of a log it is not known which agent that is. */
  #hasEnded(): boolean {
    const tracks = [...this.#tracks.values()]
    const candidates = tracks.filter(({ isRoot }) => isRoot || this.#isResumed)
    return candidates.length === 0 || candidates.some(({ hasEnded }) => hasEnded)
  }

  #violation(rule: string, message: string): Violation {
    return { rule, message, line: this.#count }
  }

  #checkLength(line: string): Violation[] {
    const bytes = utf8Length(line)
    if (bytes <= this.#maxBytes) return []
    return [this.#violation('CHUNK-1', `The line has ${bytes} of ${this.#maxBytes} bytes.`)]
  }

  #checkId(message: Envelope, id: number): Violation[] {
    const before = id - (message.span ?? 1)
    const expected = this.#lastId ?? (this.#isResumed ? before : 0)
    this.#lastId = id
    if (before === expected) return []
    return [this.#violation('LOG-2', `Id ${id} does not follow id ${expected}.`)]
  }

  #checkMessage(message: Envelope): Violation[] {
    const track = this.#trackOf(message.agent)
    const faults = this.#faultsOf('message', message, track)
    trackMessage(track, message)
    const whole = this.#joiner.push(message)
    if (whole === undefined) return faults
    faults.push(...this.#faultsOf('whole', whole, track))
    trackWhole(track, whole)
    return faults
  }

  #trackOf(agent: string): AgentTrack {
    const known = this.#tracks.get(agent)
    if (known !== undefined) return known
    const track = createAgentTrack(this.#tracks.size === 0 && !this.#isResumed, this.#isResumed)
    this.#tracks.set(agent, track)
    return track
  }

  #faultsOf(stage: 'message' | 'whole', subject: Envelope, track: AgentTrack): Violation[] {
    return lifecycleRules.flatMap((rule) => {
      const fault = rule.of === stage ? rule.fault(subject, track) : undefined
      return fault === undefined ? [] : [this.#violation(rule.id, `${subject.type} ${fault}.`)]
    })
  }
}
