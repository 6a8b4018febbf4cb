import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createFixtureServer } from './fixture-server.ts'

process.stderr.write('the mill is awake\n')
if (process.argv.includes('--broken')) {
  process.stderr.write('the wheel is missing\n')
  process.exit(3)
}
const server = createFixtureServer({ onDeath: () => process.exit(1) })
await server.connect(new StdioServerTransport())
