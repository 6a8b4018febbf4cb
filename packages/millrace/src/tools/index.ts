export { checkCall, runTool } from './run-tool.ts'
export { blockProblem, toWellFormedBlock } from './content-blocks.ts'
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
export { fromJsonSchema, fromStandardSchema, parseInput } from './input-contract.ts'
export {
  type BackendTool,
  createToolbox,
  type FrontendTool,
  type RichOutput,
  type Tool,
  type Toolbox,
  type ToolContext,
  type ToolDocument,
  type ToolImage,
} from './tool.ts'
