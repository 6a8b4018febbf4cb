export type { McpToolAnnotations } from '../mcp/listed-tool.ts'
export type { McpOptions } from '../mcp/mcp-options.ts'
export type {
  McpHttpServer,
  McpProcess,
  McpServer,
  McpTransport,
  McpWire,
} from '../mcp/mcp-server.ts'
export { mountMcp, type McpMount } from '../mcp/mount-mcp.ts'
