export type { ApprovalRule } from './approval-rule.ts'
export { checkCall } from './check-call.ts'
export { blockProblem } from './content-blocks.ts'
export { defineFrontendTool } from './define-frontend-tool.ts'
export type { FrontendToolDefinition } from './define-frontend-tool.ts'
export { defineTool } from './define-tool.ts'
export type { ToolDefinition } from './define-tool.ts'
export { fromResultBlock, fromResultContent } from './result-content.ts'
export { parseInput } from './parse-input.ts'
export { runTool } from './run-tool.ts'
export type { RunToolOptions } from './run-tool.ts'
export { errorAnswer, textAnswer, toResultBlock } from './tool-answer.ts'
export type { ToolAnswer } from './tool-answer.ts'
export { createToolbox } from './toolbox.ts'
export type { Toolbox } from './toolbox.ts'
export type {
  BackendTool,
  FrontendTool,
  RichOutput,
  Tool,
  ToolContext,
  ToolDocument,
  ToolImage,
  ToolOutput,
} from './tool.ts'
export { toWellFormedBlock } from './well-formed.ts'
