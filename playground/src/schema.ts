// SPDX-License-Identifier: Apache-2.0
// Which parts of the JSON Schema of takt/1 speak of a place in a file.
import root from "takt:schema";

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  title?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  required?: string[];
  deprecated?: boolean;
}

export type Path = (string | number)[];

const here = "#/$defs/";

/// The schema, what it refers to, and its alternatives; each with the name of its definition, if it has one.
export interface Meaning {
  schema: Schema;
  definition: string | null;
}

function spread(schema: Schema, definition: string | null = null): Meaning[] {
  const out: Meaning[] = [{ schema, definition }];
  if (schema.$ref?.startsWith(here)) {
    const name = schema.$ref.slice(here.length);
    const target = root.$defs?.[name];
    if (target !== undefined) {
      out.push(...spread(target, name));
    }
  }
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf]) {
    for (const choice of choices ?? []) {
      out.push(...spread(choice));
    }
  }
  return out;
}

function below(schema: Schema, step: string | number): Schema | null {
  if (typeof step === "string") {
    const named = schema.properties?.[step];
    if (named !== undefined) {
      return named;
    }
    return typeof schema.additionalProperties === "object" ? schema.additionalProperties : null;
  }
  const at_place = schema.prefixItems?.[step];
  if (at_place !== undefined) {
    return at_place;
  }
  return typeof schema.items === "object" ? schema.items : null;
}

/// All that the schema says of what stands at a path.
export function meanings_at(path: Path): Meaning[] {
  let found = spread(root);
  for (const step of path) {
    found = found.flatMap(({ schema }) => {
      const next = below(schema, step);
      return next === null ? [] : spread(next);
    });
  }
  return found;
}

export function is_time(path: Path): boolean {
  return meanings_at(path).some(({ definition }) => definition === "time" || definition === "positive_time");
}

/// The first description on the way from the place to what it refers to.
export function description_at(path: Path): string | null {
  return meanings_at(path).find(({ schema }) => schema.description !== undefined)?.schema.description ?? null;
}

export function words_of(definition: string): string[] {
  return (root.$defs?.[definition]?.enum ?? []).map(String);
}
