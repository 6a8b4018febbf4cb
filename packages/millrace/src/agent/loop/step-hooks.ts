import { badRequest, checkOptions, type OptionTypes } from '../../errors/index.ts'
import type { AnnouncedCall, Model, ToolChoice } from '../../events/index.ts'
import { awaitOrAbort } from '../../streams/index.ts'
import { parseInput } from '../../tools/index.ts'
import type { Run, StepPlace } from '../run.ts'
import { findToolChoice } from './tool-choice.ts'

/** The settings of one step, instead of those of the agent. */
export interface StepSettings {
  readonly model?: Model
  readonly toolChoice?: ToolChoice
}

/** Called before the model call of a step; may choose the model and the tool choice of that step. */
export type StepPreparation<Context = unknown> = (
  place: StepPlace<Context>,
) => StepSettings | undefined | Promise<StepSettings | undefined>

/** A call of a server tool that is about to run. */
export interface ToolCallStart<Context = unknown> {
  readonly callId: string
  readonly name: string
  /** The arguments before their validation; undefined if they are no JSON. */
  readonly input: unknown
  /** The id of the calling agent. */
  readonly agent: string
  /** The context of the run, as the option `context` of the server returned it; undefined without one. */
  readonly context: Context
}

const types: OptionTypes<StepSettings> = { model: 'object', toolChoice: 'any' }

/** Sets the model and the tool choice of the next step. */
export async function prepareStep(run: Run): Promise<void> {
  const { settings, state, context, signal } = run
  const place = { step: state.steps + 1, context, agent: state.agent }
  const given = (await awaitOrAbort(settings.beforeStep?.(place), signal)) ?? {}
  checkOptions('beforeStep', given, types)
  const { model = settings.model, toolChoice } = given
  if (typeof model.stream !== 'function')
    throw badRequest('`beforeStep` returned a `model` without `stream`; return a model.')
  run.model = model
  run.toolChoice = await findToolChoice(run, toolChoice)
}

/** Calls `onToolCall` for a call of a server tool. */
export function reportCall(run: Run, { id, name, inputText }: AnnouncedCall): void {
  const { onToolCall } = run.settings
  if (onToolCall === undefined) return
  const parsed = parseInput(inputText)
  const input = 'problem' in parsed ? undefined : parsed.value
  const { context, state } = run
  observe(run, () => onToolCall({ callId: id, name, input, agent: state.agent, context }))
}

/** Calls an observer. Its errors and rejections have no effect on the run. */
export function observe({ settings }: Run, call: () => unknown): void {
  const called = (async () => call())()
  called.catch(settings.onError)
}
