export { checkCall, runTool } from './run-tool.ts'
export { blockProblem, toWellFormedBlock } from './content-blocks.ts'
export { defineTool } from './define-tool.ts'
export {
  fromResultBlock,
  fromResultContent,
  errorAnswer,
  textAnswer,
  toResultBlock,
  type ToolAnswer,
} from './tool-output.ts'
export { parseInput } from './input-contract.ts'
export {
  type BackendTool,
  createToolbox,
  type RichOutput,
  type Tool,
  type Toolbox,
  type ToolContext,
  type ToolDocument,
  type ToolImage,
} from './tool.ts'
