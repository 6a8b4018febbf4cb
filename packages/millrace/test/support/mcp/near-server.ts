import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { McpWire } from '../../../src/mcp/mcp-server.ts'
import { createFixtureServer } from './fixture-server.ts'

/** The fixture in this process, which starts faster than a separate process. */
export function nearServer(name = 'mill'): McpWire {
  return {
    name,
    transport: async () => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      await createFixtureServer({ onDeath: () => void theirs.close() }).connect(theirs)
      return ours
    },
  }
}
