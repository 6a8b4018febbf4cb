import { loadPeer } from '../../errors/index.ts'

/** Loads a part of the official SDK on demand. The SDK is an optional dependency. */
export function loadSdk<Module>(load: () => Promise<Module>): Promise<Module> {
  return loadPeer('@modelcontextprotocol/sdk', 'An MCP server', load)
}
