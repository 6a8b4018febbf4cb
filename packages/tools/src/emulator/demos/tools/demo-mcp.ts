import { createDemo } from './demo-command.ts'

const books = [
  'Archive 12/3: Building accounts of the mill, 1786 to 1791',
  'Archive 12/9: Quarrel about the height of the weir, 1803',
  'Archive 31/2: Photographs of the mill under snow, 1929',
]

/** Tools of MCP servers, called by the provider. */
export const demoMcp = createDemo('mcp', {
  summary: 'Tools on two MCP servers that the provider talks to',
  reply: () => ({
    blocks: [
      {
        type: 'text',
        text: 'I will look in the archive first, and then whether its reading room is open.',
      },
      {
        type: 'mcp_tool_use',
        serverName: 'archive',
        name: 'search',
        input: { query: 'mill at the Lower Brook', limit: 3 },
      },
      {
        type: 'mcp_tool_result',
        fields: { is_error: false },
        content: [{ type: 'text', text: books.join('\n') }],
        waitMs: 900,
      },
      {
        type: 'mcp_tool_use',
        serverName: 'calendar',
        name: 'search',
        input: { query: 'reading room', day: 'Saturday' },
      },
      {
        type: 'mcp_tool_result',
        fields: { is_error: true },
        content: [{ type: 'text', text: 'No calendar of that name is shared with you.' }],
        waitMs: 700,
      },
      { type: 'text', text: answer },
    ],
  }),
})

const answer = [
  'The archive has three things on the mill: the **building accounts**, a **quarrel about the weir** of 1803, and **photographs** of 1929. I do not know whether the reading room is open on Saturday: the calendar returned an error.',
  '',
  'Both servers call their tool `search`; the stream has the name of the server, which distinguishes them. A failed tool does not fail the answer: I continue.',
].join('\n')
