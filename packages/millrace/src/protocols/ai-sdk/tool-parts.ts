import type { JsonValue } from '../../json/index.ts'
import {
  type CollectedCall,
  type CollectedResult,
  isOfProvider,
  type PauseEvent,
  type PausedCall,
  type StatusEvent,
} from '../../events/index.ts'
import { parseJson, toOutput } from './tool-output.ts'
import { toOwn, type UiFields, type UiOutput } from './ui-output.ts'

/** A call that is a part of the message. */
interface ShownCall {
  readonly name: string
  readonly isServer: boolean
  /** Our own fields of its chunks. */
  readonly own: UiFields
  isAnswered: boolean
}

/** Calls that are parts of the message, with their states. */
export class ToolParts {
  readonly #root: string
  readonly #output: UiOutput
  readonly #calls = new Map<string, ShownCall>()
  readonly #waiting = new Set<string>()
  readonly #judged = new Set<string>()
  readonly #refused = new Set<string>()
  /** Whether the stream includes the start of the run, and so all its calls. */
  #isWhole = false

  constructor(root: string, output: UiOutput) {
    this.#root = root
    this.#output = output
  }

  /** Starts the message of another run. */
  clear(): void {
    this.#isWhole = true
    for (const known of [this.#calls, this.#waiting, this.#judged, this.#refused]) known.clear()
  }

  has(callId: string): boolean {
    return this.#calls.has(callId)
  }

  take(piece: CollectedCall): void {
    const { type, agent, block, callId, name, fields, text, start, end, input = '' } = piece
    const id = callId || block
    if (start) this.#show({ id, name, agent, isServer: isOfProvider(type) }, fields)
    if (!this.#calls.has(id)) return
    if (text !== '')
      this.#output.write('tool-input-delta', { toolCallId: id, inputTextDelta: text })
    if (end && piece.interrupted) this.#writeInterrupted(id, input)
    else if (end) this.#writeInput(id, input === '' ? '{}' : input)
  }

  /** Writes a pending call, of any agent, because the page must answer it. */
  await({ callId: id, name, input, agent }: PausedCall, pause: PauseEvent['type']): void {
    const isApproval = pause === 'awaiting_approval'
    // A decoded frame contains only JSON.
    const value = (input ?? {}) as JsonValue
    if (!this.#calls.has(id)) {
      this.#show({ id, name, agent, isServer: false })
      this.#available(id, value)
    } else if (!isApproval && this.#judged.has(id)) this.#available(id, value)
    this.#waiting.add(id)
    if (!isApproval) return
    this.#judged.add(id)
    this.#output.write('tool-approval-request', { approvalId: id, toolCallId: id })
  }

  judge({ callId, stage, detail }: StatusEvent): void {
    if (stage === 'refused' || stage === 'expired') this.#refused.add(callId)
    if (stage === 'approved') this.#waiting.delete(callId)
    const isEdited = stage === 'approved' && detail !== '' && this.#calls.has(callId)
    if (isEdited) this.#writeInput(callId, detail)
  }

  answer(result: CollectedResult): void {
    const { type, agent, name, text, isError, interrupted, images, block } = result
    const isServer = isOfProvider(type)
    const toolCallId = result.callId || block
    const isKnown = this.#calls.has(toolCallId)
    // The result of an earlier run's call, which belongs to another message.
    if (!isKnown && !isServer && this.#isWhole) return
    if (!isKnown) {
      // A provider result without a call, such as files in its container, needs an implied call.
      this.#show({ id: toolCallId, name, agent, isServer }, { implied: true })
      this.#available(toolCallId, {})
    }
    this.#close(toolCallId)
    const executed = isServer ? { providerExecuted: true } : {}
    const marks = {
      name: isServer ? name : undefined,
      interrupted: interrupted || undefined,
    }
    if (isError) {
      const pictures = images.map(({ src, mediaType }) => ({ src, mediaType }))
      const shown = toOwn({ ...marks, images: images.length === 0 ? undefined : pictures })
      if (this.#refused.delete(toolCallId))
        this.#output.write('tool-output-denied', { toolCallId, reason: text })
      else
        this.#output.write('tool-output-error', {
          toolCallId,
          errorText: text,
          ...executed,
          ...shown,
        })
      return
    }
    const output = isServer ? (parseJson(text) ?? text) : toOutput({ text, images })
    this.#output.write('tool-output-available', {
      toolCallId,
      output,
      ...executed,
      ...toOwn(marks),
    })
  }

  /** Answers the calls of a rollback, because they get no other result. */
  rollBack(ids: readonly string[]): void {
    for (const toolCallId of ids) {
      if (this.#calls.get(toolCallId)?.isAnswered !== false) continue
      this.#close(toolCallId)
      const errorText = 'This call is void: its step is retried.'
      this.#output.write('tool-output-error', { toolCallId, errorText, voided: true })
    }
  }

  /** Forgets calls whose parts were removed. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#calls.delete(id)
  }

  /**
   * Adds an output to calls that wait only for calls of their sub-agents, because a page continues only when every call of the step has
   * one. Their results replace it.
   */
  hold(): void {
    for (const [toolCallId, { isAnswered, isServer }] of this.#calls) {
      if (isAnswered || isServer || this.#waiting.has(toolCallId)) continue
      const output = { status: 'waiting' }
      this.#output.write('tool-output-available', { toolCallId, output, placeholder: true })
    }
  }

  #close(id: string): void {
    const call = this.#calls.get(id)
    if (call !== undefined) call.isAnswered = true
    this.#waiting.delete(id)
  }

  #show(
    { id, name, agent, isServer }: { id: string; name: string; agent: string; isServer: boolean },
    fields: UiFields = {},
  ): void {
    const isRoot = agent === this.#root
    const own = { ...fields, agent: isRoot ? undefined : agent }
    this.#calls.set(id, { name, isServer, own, isAnswered: false })
    const start = { ...this.#named(id), ...toOwn(own) }
    this.#output.writeInStep('tool-input-start', start, isRoot)
    if (!isServer) this.#output.noteCall()
  }

  #writeInput(id: string, text: string): void {
    const value = parseJson(text)
    if (value !== undefined) return this.#available(id, value)
    const errorText = 'The arguments of this call are not valid JSON.'
    this.#output.write('tool-input-error', { ...this.#named(id), input: text, errorText })
  }

  #writeInterrupted(id: string, input: string): void {
    const errorText = 'The model was interrupted while it wrote the arguments of this call.'
    // A client replaces the metadata from the start of the part.
    const own = toOwn({ ...this.#calls.get(id)?.own, interrupted: true })
    this.#output.write('tool-input-error', { ...this.#named(id), input, errorText, ...own })
  }

  #available(id: string, input: JsonValue): void {
    this.#output.write('tool-input-available', { ...this.#named(id), input })
  }

  #named(toolCallId: string): UiFields {
    const { name = '', isServer = false } = this.#calls.get(toolCallId) ?? {}
    const executed = isServer ? { providerExecuted: true } : {}
    return { toolCallId, toolName: name, dynamic: true, ...executed }
  }
}
