export { mountMcp } from '../mcp/index.ts'
export type {
  McpHttpServer,
  McpMount,
  McpOptions,
  McpProcess,
  McpServer,
  McpToolAnnotations,
  McpTransport,
  McpWire,
} from '../mcp/index.ts'
