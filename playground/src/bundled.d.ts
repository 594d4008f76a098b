// SPDX-License-Identifier: Apache-2.0
// What build.mjs reads from the repository and puts into the bundle.
declare module "takt:examples" {
  const examples: Record<string, string>;
  export default examples;
}
declare module "takt:schema" {
  const schema: import("./schema").Schema;
  export default schema;
}
declare module "takt:worker" {
  const source: string;
  export default source;
}
// The package lzma1, whose types are sources that the checks of this project refuse.
declare module "takt:unpack" {
  export function decompress(packed: Uint8Array): Uint8Array;
}
