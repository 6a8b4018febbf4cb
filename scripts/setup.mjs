import { build } from './lib/build.mjs'
import { Failure } from './lib/failure.mjs'
import { install } from './lib/install.mjs'

const LEAST_NODE = [20, 19]

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return
  throw new Failure(
    `Millrace needs Node ${LEAST_NODE.join('.')} or later, and this is Node ${process.versions.node}.\n` +
      'Install a current Node (https://nodejs.org, or `nvm install 22`) and run the command again.',
  )
}

/**
 * Prepares a clone for a command: the right Node, the dependencies, and a build of outdated parts. With `forStart`, only the parts that
 * `npm start` needs are installed and built.
 */
export async function setup({ building = true, forStart = false } = {}) {
  checkNode()
  await install(forStart ? 'start' : 'all')
  if (building) await build({ types: !forStart })
}
