export { withTextTools } from '../models/text-tools/index.ts'
export type {
  CreateCallId,
  FormatList,
  FoundCall,
  HiddenCallChoice,
  SegmentTextOptions,
  SyntaxChoice,
  TextToolsOptions,
  ToolNotation,
  ToolSyntax,
  WrittenResult,
} from '../models/text-tools/index.ts'
