import { parseArgs } from 'node:util'

const usage = `Usage: node client.js [SESSION] [--url http://127.0.0.1:8787]

  SESSION   the id of an earlier conversation, to go on with it
  --url     where the server is

MILLRACE_TOKEN is shown to a server that asks for a token.`

/** The options of the command line; help and mistakes end the program. */
export function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        url: { type: 'string', default: 'http://127.0.0.1:8787' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return exit(0, console.log, usage)
    if (!/^https?:\/\//.test(values.url) || !URL.canParse(values.url)) {
      throw new Error(`--url is no address such as http://127.0.0.1:8787: ${values.url}`)
    }
    return { url: values.url, id: positionals[0] }
  } catch (error) {
    return exit(2, console.error, `${error.message}\n\n${usage}`)
  }
}

function exit(code, print, text) {
  print(text)
  process.exit(code)
}
