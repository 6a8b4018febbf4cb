import { type Command, storeUsage } from '../command.ts'
import { keepUsage } from '../decode-options.ts'
import { explainConflict } from '../explain-conflict.ts'
import { readServeOptions } from '../../serve/serve-options.ts'
import { startServer } from '../../serve/start-server.ts'

const usage = `MODULE [--port 8787] [--host 127.0.0.1] [--studio | --page FOLDER] [--token TOKEN] [--store ADDRESS] …

  MODULE         a module that exports \`agents\`, an object of agents, or one agent by default; it may
                 export \`defaultAgent\`, \`options\` (those of createHandler) and \`close\` as well
  --port         the port to listen on; 0 takes any free one (or PORT)
  --host         the address or name to listen on (or HOST)
  --studio       serve Studio at / as well, without a token: the page contains no secrets and asks for
                 the token, with which it shows every session
  --page         a folder with an index.html to serve beside the API, without a token; its scripts can import
                 the client from /millrace/client/index.js, without a build
  --token        the bearer token that clients must send (or MILLRACE_TOKEN, which other users of
                 this machine cannot see)
  --allow-anyone listen beyond this machine without requiring a token
  --allow-host   another name under which clients reach this server, such as that of a proxy
  --allow-origin a site whose pages may use this server, such as https://app.example
  --webhook      a URL that receives events about runs (or MILLRACE_WEBHOOK_URL), signed with the
                 secret in MILLRACE_WEBHOOK_SECRET
  --store        ${storeUsage}
  ${keepUsage}
  --log-level    debug, info, warn, error or silent
  --log-format   json, pretty, or auto: pretty on a terminal
  --log-content  write prompts, answers and messages of errors into the log

At SIGTERM, active runs are handed off to the next server on the same store.`

/** `millrace serve`: the agents of a module, for production. */
export const serve: Command = {
  usage,
  run: async (args, terminal) => {
    const options = readServeOptions(args, terminal.env)
    const { logFormat } = options
    const isPretty = logFormat === 'auto' ? terminal.isInteractive === true : logFormat === 'pretty'
    const output = { isPretty, write: terminal.print }
    const server = await startServer(options, output).catch(async (error: unknown) => {
      throw await explainConflict(error, { ...options, env: terminal.env })
    })
    await terminal.untilStopped()
    await server.close()
    return 0
  },
}
