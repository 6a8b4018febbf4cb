const needed = [
  'package.json',
  'README.md',
  'LICENSE',
  'dist/cli/main.js',
  'dist/cli/init/template/agents.js',
  'dist/cli/conformance/vectors/sse.jsonl',
  'studio/index.html',
]

/** Maps point to sources that are not shipped, and tests are nobody's but ours. */
const unwanted = /\.map$|\.test\./

/** Says what is wrong with the list of files of a packed library. */
export function findPackingFaults(names) {
  const missing = needed.filter((name) => !names.includes(`package/${name}`))
  return [
    ...missing.map((name) => `${name} is not in the package.`),
    ...names.filter((name) => unwanted.test(name)).map((name) => `${name} must not be packed.`),
  ]
}
