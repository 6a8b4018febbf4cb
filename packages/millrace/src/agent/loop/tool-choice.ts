import { badRequest } from '../../errors/index.ts'
import type { ToolChoice } from '../../events/index.ts'
import { isJsonObject } from '../../json/index.ts'
import { awaitOrAbort } from '../../streams/index.ts'
import type { Run } from '../run.ts'
import { offeredTools } from './compacted-context.ts'

/** Returns the tool choice of the next step, `ofStep` if it is given; undefined leaves it to the model. */
export async function findToolChoice(
  run: Run,
  ofStep: ToolChoice | undefined,
): Promise<ToolChoice | undefined> {
  const { settings, state, context, signal } = run
  const given = ofStep === undefined ? settings.toolChoice : () => ofStep
  const step = state.steps + 1
  const chosen =
    typeof given === 'function'
      ? await awaitOrAbort(given({ step, context, agent: state.agent }), signal)
      : forFirstStep(given, step)
  if (chosen === undefined) return undefined
  checkToolChoice(chosen)
  if (typeof chosen === 'object') checkOffered(chosen.tool, run)
  return chosen
}

/** A model that must call a tool in each step could never answer. */
function forFirstStep(choice: ToolChoice | undefined, step: number): ToolChoice | undefined {
  const isForced = choice === 'required' || typeof choice === 'object'
  return isForced && step > 1 ? undefined : choice
}

const values: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

/** Throws an error for a value that is no tool choice. */
export function checkToolChoice(choice: unknown): void {
  const isNamed =
    isJsonObject(choice) && typeof choice['tool'] === 'string' && Object.keys(choice).length === 1
  if (isNamed || values.has(choice)) return
  throw badRequest(
    `\`toolChoice\` is ${JSON.stringify(choice)}; it must be "auto", "none", "required", or { tool: NAME }.`,
  )
}

function checkOffered(name: string, run: Run): void {
  const names = offeredTools(run).map((tool) => tool.name)
  if (names.includes(name)) return
  throw badRequest(
    `\`toolChoice\` demands the tool "${name}", which the agent does not offer. It offers: ${names.join(', ') || 'none'}.`,
  )
}
