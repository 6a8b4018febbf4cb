import type { AnnouncedCall } from '../events/index.ts'
import { parseInput } from './parse-input.ts'
import { errorAnswer, type ToolAnswer } from './tool-answer.ts'
import { messageOf } from './tool-output.ts'
import type { FrontendTool } from './tool.ts'

/** Validates a browser call before the run pauses. Returns an error answer for an invalid call. */
export async function checkCall(
  tool: FrontendTool,
  call: AnnouncedCall,
): Promise<ToolAnswer | undefined> {
  const input = parseInput(call.inputText)
  if ('problem' in input) return errorAnswer(input.problem)
  try {
    const checked = await tool.check(input.value)
    return 'problem' in checked ? errorAnswer(checked.problem) : undefined
  } catch (error) {
    return errorAnswer(`The arguments of "${call.name}" cannot be checked: ${messageOf(error)}`)
  }
}
