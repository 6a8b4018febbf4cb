export { checkCall, runTool } from './run-tool.ts'
export { blockProblem } from './content-blocks.ts'
export {
  defineFrontendTool,
  defineTool,
  type FrontendToolDefinition,
  type ToolDefinition,
} from './define-tool.ts'
export {
  fromResultBlock,
  fromResultContent,
  errorAnswer,
  textAnswer,
  toResultBlock,
  type ToolAnswer,
} from './tool-output.ts'
export { parseInput } from './parse-input.ts'
export { createToolbox, type Toolbox } from './toolbox.ts'
export type {
  BackendTool,
  FrontendTool,
  RichOutput,
  Tool,
  ToolContext,
  ToolDocument,
  ToolImage,
} from './tool.ts'
export { toWellFormedBlock } from './well-formed.ts'
